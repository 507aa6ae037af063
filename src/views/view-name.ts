/** The names of the views, as findings and reports print them. */
export type ViewName =
  | 'percent'
  | 'escape'
  | 'html'
  | 'quoted-printable'
  | 'joined'
  | 'base64'
  | 'hex'
  | 'utf-16'
  | 'latin-1'
  | 'invisible';

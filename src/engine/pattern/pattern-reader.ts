/** The place in a pattern's text that is read, with the capturing groups that were opened so far. */

export interface Reader {
  readonly text: string;
  at: number;
  groups: { index: number; at: number; length: number }[];
}

export const peek = (reader: Reader): string => reader.text.charAt(reader.at);

/** Reads over `token` if it stands here. */
export const take = (reader: Reader, token: string): boolean => {
  if (!reader.text.startsWith(token, reader.at)) return false;
  reader.at += token.length;
  return true;
};

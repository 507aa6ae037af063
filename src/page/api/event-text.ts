/** Server-sent events out of a stream of text, a piece at a time. EventSource cannot send a header, so fetch reads them. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Gives the events that each piece completes. Lines may end in LF, CR LF or CR; comments and ids are passed over. */
export const createEventReader = (): ((piece: string) => readonly ServerEvent[]) => {
  let rest = '';
  let event = '';
  let data: string[] = [];
  const takeLine = (line: string): ServerEvent | null => {
    if (line === '') {
      const done = data.length === 0 ? null : { event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      return done;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
    return null;
  };
  return (piece) => {
    rest += piece;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.map(takeLine).filter((found) => found !== null);
  };
};

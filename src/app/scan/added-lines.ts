/**
 * Which lines of a file are new against what stood at its path before: lines that no earlier text has. Where a line stands
 * more often than before, all of its copies count as new, because nothing tells which one was added.
 */

export interface AddedLines {
  /** 1-based, both included. */
  readonly touches: (startLine: number, endLine: number) => boolean;
}

const LINE_FEED = 0x0a;

function* linesOf(text: Uint8Array): Generator<string> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed;
    yield bytes.toString('latin1', start, end);
    start = end + 1;
  }
}

const countLines = (text: Uint8Array): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const line of linesOf(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};

export const addedLines = (text: Uint8Array, before: readonly Uint8Array[]): AddedLines => {
  const now = countLines(text);
  const known = before.map(countLines);
  const isOld = (line: string): boolean => known.some((counts) => (counts.get(line) ?? 0) >= (now.get(line) ?? 0));
  const added = new Set<number>();
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    if (!isOld(line)) added.add(number);
  }
  return {
    touches: (startLine, endLine) => {
      for (let line = startLine; line <= endLine; line += 1) if (added.has(line)) return true;
      return false;
    },
  };
};

/**
 * Which places of a file stand on lines that are new against what stood at its path before: lines that no earlier text has.
 * Where a line stands more often than before, all of its copies count as new, because nothing tells which one was added.
 *
 * Only the lines that are asked about are held: a text may have millions, and few of them hold a finding.
 */

/** Lines of a text, 1-based, both included. */
export interface LinePlace {
  readonly startLine: number;
  readonly endLine: number;
}

export interface AddedLines {
  /** One of the texts that stood there before; it is not held. */
  tellBefore(text: Uint8Array): void;
  /** True when one of the place's lines is in none of them as often as now. */
  touches(place: LinePlace): boolean;
}

/** How often each line stands in a text, of those that are asked about. */
type Counts = Map<string, number>;

const LINE_FEED = 0x0a;

function* linesOf(text: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/** The asked lines of a text, by their number. */
const askedLines = (text: Uint8Array, places: readonly LinePlace[]): ReadonlyMap<number, string> => {
  const asked = new Set<number>();
  for (const { startLine, endLine } of places) {
    for (let line = startLine; line <= endLine; line += 1) asked.add(line);
  }
  const lines = new Map<number, string>();
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    if (asked.has(number)) lines.set(number, line.toString('latin1'));
    if (lines.size === asked.size) break;
  }
  return lines;
};

const countLines = (text: Uint8Array, asked: ReadonlySet<string>, lengths: ReadonlySet<number>): Counts => {
  const counts: Counts = new Map();
  for (const bytes of linesOf(text)) {
    // Most lines are of another length than any that is asked about, and are made no string of.
    if (!lengths.has(bytes.length)) continue;
    const line = bytes.toString('latin1');
    if (asked.has(line)) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
};

/** @param places all that `touches` will be asked about */
export const openAddedLines = (text: Uint8Array, places: readonly LinePlace[]): AddedLines => {
  const lines = askedLines(text, places);
  const asked = new Set(lines.values());
  const lengths = new Set([...asked].map((line) => line.length));
  const now = countLines(text, asked, lengths);
  const old = new Set<string>();
  return {
    tellBefore: (before) => {
      for (const [line, count] of countLines(before, asked, lengths)) {
        if (count >= (now.get(line) ?? 0)) old.add(line);
      }
    },
    touches: ({ startLine, endLine }) => {
      for (let number = startLine; number <= endLine; number += 1) {
        const line = lines.get(number);
        if (line !== undefined && !old.has(line)) return true;
      }
      return false;
    },
  };
};

/**
 * The rest of a block whose BEGIN is out of sight, as in a diff hunk that shows the last lines of a key: the lines before
 * an END line, as long as each is body and nothing else.
 */
import { readPemBody } from './pem-body.js';
import { linePrefix, skipNoise } from './pem-noise.js';

const LINE_FEED = 0x0a;
/** Longer lines are not looked at from their end. */
const MOST_LINE_BYTES = 600;
/** A line before the last one or two is at least this long. */
const LEAST_LINE_CHARACTERS = 32;

/** First byte of the line that ends at `end`, or -1 where it is too long. */
const startOfLine = (text: Uint8Array, end: number, floor: number): number => {
  let start = end;
  while (start > floor && text[start - 1] !== LINE_FEED) {
    start -= 1;
    if (end - start > MOST_LINE_BYTES) return -1;
  }
  return start;
};

/**
 * Where the body before the END line at `mark` starts; -1 where no line of it is evident. Never before `floor`, never more
 * than `mostLines`.
 */
export const bodyBefore = (text: Uint8Array, mark: number, floor: number, mostLines: number): number => {
  const prefix = linePrefix(text, mark);
  let lineEnd = mark - prefix.length - 1;
  let start = -1;
  let isEvident = false;
  for (let lines = 0; lines < mostLines && lineEnd > floor; lines += 1) {
    const lineStart = startOfLine(text, lineEnd, floor);
    if (lineStart === -1) break;
    const line = text.subarray(lineStart, lineEnd + 1);
    const bodyStart = skipNoise(line, 0, prefix);
    const body = readPemBody(line, bodyStart, prefix);
    const wanted = lines < 2 ? 1 : LEAST_LINE_CHARACTERS;
    if (body.chunks !== 1 || body.stop < line.length || body.characters < wanted) break;
    if (body.isMixed && body.characters >= LEAST_LINE_CHARACTERS) isEvident = true;
    start = lineStart + bodyStart;
    lineEnd = lineStart - 1;
  }
  return isEvident ? start : -1;
};

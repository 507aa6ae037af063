/**
 * Private key blocks in every rendering: as they are, behind log prefixes, in diffs and comments, in JSON strings and
 * lists of lines, in HTML and XML, on one line, and cut off by a hunk. A block is taken from BEGIN to END as one span. A
 * frame line that is only named takes nothing, and code between two frame lines is no body, so it stays in sight.
 */
import type { Span } from '../contract/finding.js';
import { type PemBody, readPemBody } from './pem-body.js';
import { findPemMarks, type PemKind, type PemMark, pemKind, pemRuleId } from './pem-labels.js';
import { linePrefix } from './pem-noise.js';
import { bodyBefore } from './pem-tail.js';

export interface PemBlock extends Span {
  readonly kind: PemKind;
  /** As written in the frame line, e.g. `RSA PRIVATE KEY`. */
  readonly label: string;
  readonly ruleId: string;
}

export interface PemFindings {
  /** In ascending order, without overlaps. */
  readonly blocks: readonly PemBlock[];
  /** Why the text cannot be settled: a body without an END that is too long to be one key. Else `null`. */
  readonly refused: string | null;
}

/** Lines that are taken without an END; the largest RSA keys in use have about this many. */
export const MOST_LINES_WITHOUT_END = 200;

/** With both frame lines a short body counts; the longest chunk must not be a word. */
const LEAST_FRAMED_CHUNK = 16;
/** Without an END the body itself must be evident: one long line, or two, of mixed characters. */
const LEAST_OPEN_CHUNK = 32;
const LEAST_OPEN_CHARACTERS = 40;

const isEvident = (body: PemBody): boolean =>
  body.isMixed && body.longest >= LEAST_OPEN_CHUNK && body.characters >= LEAST_OPEN_CHARACTERS;

const blockOf = (mark: PemMark, start: number, end: number): PemBlock => {
  const kind = pemKind(mark.label);
  return { start, end, kind, label: mark.label, ruleId: pemRuleId(kind) };
};

/** Whether reading stopped at the END line, or at a diff's minus sign that touches its dashes. */
const endsAt = (text: Uint8Array, stop: number, end: number): boolean =>
  stop === end || (stop === end - 1 && text[stop] === 0x2d);

/** A block that begins at `mark`; `'too long'` where it would have no end in sight. */
const blockFrom = (text: Uint8Array, mark: PemMark, next: PemMark | undefined): PemBlock | 'too long' | null => {
  const body = readPemBody(text, mark.end, linePrefix(text, mark.start));
  if (next !== undefined && next.edge === 'end' && endsAt(text, body.stop, next.start))
    return body.longest >= LEAST_FRAMED_CHUNK ? blockOf(mark, mark.start, next.end) : null;
  if (!isEvident(body)) return null;
  return body.chunks > MOST_LINES_WITHOUT_END ? 'too long' : blockOf(mark, mark.start, body.end);
};

/**
 * @param text read, not kept
 */
export const findPemBlocks = (text: Uint8Array): PemFindings => {
  const marks = findPemMarks(text);
  const blocks: PemBlock[] = [];
  let refused: string | null = null;
  let settledTo = 0;
  for (const [index, mark] of marks.entries()) {
    if (mark.start < settledTo) continue;
    if (mark.edge === 'end') {
      const start = bodyBefore(text, mark.start, settledTo, MOST_LINES_WITHOUT_END);
      if (start !== -1) blocks.push(blockOf(mark, start, mark.end));
      continue;
    }
    const block = blockFrom(text, mark, marks[index + 1]);
    if (block === 'too long') {
      refused ??= `a ${pemKind(mark.label)} block without an END line has more than ${MOST_LINES_WITHOUT_END} lines`;
    } else if (block !== null) {
      blocks.push(block);
      settledTo = block.end;
    }
  }
  return { blocks, refused };
};

/** What is asked and answered about a match at one place, by whichever way it is looked for. */
import { type ByteSet, hasByte, setOf } from './pattern/byte-set.js';
import type { Assertion } from './pattern/pattern-node.js';

/** Answers of `matchAt` besides the match's end. */
export const NO_MATCH = -1;
export const ASK_RE2 = -2;

/** What the last look found or cost; overwritten by every look. */
export interface Found {
  /** The value; -1 where its group took no part. */
  start: number;
  end: number;
  /** Bytes read, or what cost as much. */
  walked: number;
}

export interface FirstMatch {
  /** Where the match that begins at `from` ends; `NO_MATCH`; or `ASK_RE2`. */
  matchAt(text: Uint8Array, from: number, found: Found): number;
}

export const LINE_FEED_SET: ByteSet = setOf([0x0a, 0x0a]);
export const WORD_SET: ByteSet = setOf([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);

/** What stands beside a place: the text's edge, a line end, a byte of a word, another one. */
export const EDGE = 0;
const LINE = 1;
const IN_WORD = 2;
export const OTHER = 3;
export const KINDS = 4;
export const KIND_OF: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x0a ? LINE : hasByte(WORD_SET, byte) ? IN_WORD : OTHER,
);

export const kindAt = (text: Uint8Array, at: number): number => {
  const byte = text[at];
  return byte === undefined ? EDGE : (KIND_OF[byte] ?? OTHER);
};

/** Whether the assertion holds between what stands before and behind a place. */
export const holds = (assertion: Assertion, before: number, behind: number): boolean => {
  switch (assertion) {
    case 'word-boundary':
      return (before === IN_WORD) !== (behind === IN_WORD);
    case 'text-start':
      return before === EDGE;
    case 'line-start':
      return before === EDGE || before === LINE;
    case 'text-end':
      return behind === EDGE;
    case 'line-end':
      return behind === EDGE || behind === LINE;
    default:
      return assertion satisfies never;
  }
};

export const holdsAt = (assertion: Assertion, text: Uint8Array, at: number): boolean =>
  holds(assertion, kindAt(text, at - 1), kindAt(text, at));

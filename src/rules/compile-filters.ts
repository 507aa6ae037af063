/**
 * Filters of one rule -> one function over the item's bytes. It is called on hits, in the hot path, so everything that
 * can be prepared is, and nothing is decoded that no filter asks for.
 *
 * Every filter judges the whole value, or the name before it, never a substring of the value: a random password that
 * contains the word `hook` is still a password (gitleaks#2198).
 */
import RE2 from 're2';
import type { Filter } from '../contract/rule.js';
import { compilePattern } from './compile-pattern.js';
import { isReference } from './is-reference.js';
import { judgementOf } from './judgements.js';
import { rarityBits } from './rarity.js';

/** Whether the value at `[start, end)` of `text` passes. Reads `text`, keeps nothing. */
export type PassesFilters = (text: Uint8Array, start: number, end: number) => boolean;

/** Judgements look at this much of a value: a longer one is settled by its beginning, and one of 10 MB must cost no more. */
const JUDGED_BYTES = 1024;

/** What `not-behind` reads of the text before a value: a name, its sign and its quote. */
const BEHIND_BYTES = 48;

/** One character a byte: enough for words and patterns of ASCII, and total over invalid UTF-8. */
const latin1 = (text: Uint8Array, start: number, end: number): string =>
  Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('latin1');

const entropyBits = (text: Uint8Array, start: number, end: number): number => {
  const counts = new Uint32Array(256);
  for (let at = start; at < end; at++) {
    const byte = text[at] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  const length = end - start;
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / length) * Math.log2(count / length);
  return bits;
};

const classCount = (text: Uint8Array, start: number, end: number): number => {
  let seen = 0;
  for (let at = start; at < end; at++) {
    const code = text[at] ?? 0;
    if (code >= 0x61 && code <= 0x7a) seen |= 1;
    else if (code >= 0x41 && code <= 0x5a) seen |= 2;
    else if (code >= 0x30 && code <= 0x39) seen |= 4;
    else seen |= 8;
  }
  return (seen & 1) + ((seen >> 1) & 1) + ((seen >> 2) & 1) + (seen >> 3);
};

/** `start` is what the match begins with: `\\A`, or nothing where only the end of the text counts. */
const anchored = (filter: Extract<Filter, { pattern: string }>, start: string, owner: string): RE2 => {
  compilePattern(filter.pattern, `${owner}, filter "${filter.kind}"`);
  return new RE2(`${start}(?:${filter.pattern})\\z`);
};

const compileFilter = (filter: Filter, owner: string): PassesFilters | null => {
  switch (filter.kind) {
    case 'not-reference':
      return (text, start, end) => !isReference(text, start, end);
    case 'rarity':
      return (text, start, end) => rarityBits(text.subarray(start, end)) >= filter.least;
    case 'entropy':
      return (text, start, end) => entropyBits(text, start, end) >= filter.least;
    case 'not-word': {
      const words = new Set(filter.words);
      return (text, start, end) => !words.has(latin1(text, start, end).toLowerCase());
    }
    case 'not-match': {
      const program = anchored(filter, '\\A', owner);
      return (text, start, end) => !program.test(latin1(text, start, end));
    }
    case 'not-behind': {
      const program = anchored(filter, '', owner);
      return (text, start) => !program.test(latin1(text, Math.max(0, start - BEHIND_BYTES), start));
    }
    case 'classes':
      return (text, start, end) => classCount(text, start, end) >= filter.least;
    case 'checksum':
      // A wrong checksum never drops the finding: older forms and mistyped copies travel no more than good ones.
      return null;
    case 'judge': {
      const judge = judgementOf(filter.name);
      return (text, start, end) => judge(latin1(text, start, Math.min(end, start + JUDGED_BYTES)));
    }
  }
  return filter satisfies never;
};

/** Compiles `filters` once; `owner` is named where one does not compile. The function it returns is pure and may be shared by every scan of a thread. */
export const compileFilters = (filters: readonly Filter[], owner = 'a rule'): PassesFilters => {
  const passes = filters
    .map((filter) => compileFilter(filter, owner))
    .filter((one): one is PassesFilters => one !== null);
  const [first, second] = passes;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (text, start, end) => passes.every((one) => one(text, start, end));
};

/**
 * The same question as in `first-match.ts`, for a program whose automaton would be too large: its choices are tried in
 * order of preference, each at most once a place, and a branch whose first byte is not there is not tried at all.
 */
import { ASK_RE2, type FirstMatch, type Found, holdsAt, NO_MATCH } from './match-answers.js';
import { addRange, type ByteSet, bytesOf, emptySet, union } from './pattern/byte-set.js';
import type { MatchProgram, MatchStep } from './pattern/match-program.js';

/** Bytes of text that are looked at from the start on. */
const WINDOW_BYTES = 1024;
/** Steps that are taken before RE2 is asked. */
const MOST_STEPS_TAKEN = 64 * 1024;
/** Steps that cost about as much as a byte of an automaton. */
const STEPS_A_BYTE = 4;

/** What may be read next from a step on: its bytes, and those outside ASCII where any may be. */
const HIGH_FROM = 0x80;

const firstBytes = ({ steps }: MatchProgram, from: number): ByteSet => {
  const seen = new Set<number>();
  const open = [from];
  let all = emptySet();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const step = steps[at];
    if (step === undefined || seen.has(at)) continue;
    seen.add(at);
    if (step.kind === 'split') open.push(step.first, step.second);
    else if (step.kind === 'byte') {
      all = union(all, step.set);
      if (step.high) addRange(all, HIGH_FROM, 0xff);
    } else if (step.kind === 'match') addRange(all, 0, 0xff);
    else open.push(step.next);
  }
  return all;
};

/** A row of 256 for each distinct set; the last column says whether the text may end there. */
interface SetRows {
  readonly rows: Uint8Array;
  readonly rowOf: readonly number[];
}

const setRows = (sets: readonly (ByteSet | null)[]): SetRows => {
  const known = new Map<string, number>();
  const distinct: ByteSet[] = [];
  const rowOf = sets.map((set) => {
    if (set === null) return 0;
    const key = set.join();
    const row = known.get(key) ?? distinct.push(set) - 1;
    known.set(key, row);
    return row * 256;
  });
  const rows = new Uint8Array(distinct.length * 256);
  distinct.forEach((set, row) => {
    for (const byte of bytesOf(set)) rows[row * 256 + byte] = 1;
  });
  return { rows, rowOf };
};

const reachesEnd = ({ steps }: MatchProgram, from: number): boolean => {
  const seen = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const step = steps[at];
    if (step === undefined || seen.has(at)) continue;
    seen.add(at);
    if (step.kind === 'match') return true;
    if (step.kind === 'split') open.push(step.first, step.second);
    else if (step.kind !== 'byte') open.push(step.next);
  }
  return false;
};

/** Restores a mark when what was tried behind it fails. */
const RESTORE_START = -1;
const RESTORE_END = -2;

export const openChoiceWalk = (program: MatchProgram): FirstMatch => {
  const { steps } = program;
  const own = setRows(steps.map((step) => (step.kind === 'byte' ? step.set : null)));
  const first = setRows(steps.map((step, at) => (step.kind === 'match' ? null : firstBytes(program, at))));
  const mayEnd = steps.map((_, at) => reachesEnd(program, at));
  const visited = new Uint8Array(Math.ceil((steps.length * WINDOW_BYTES) / 8));
  const touched: number[] = [];
  const stack: number[] = [];

  const admits = (at: number, byte: number | undefined): boolean =>
    steps[at]?.kind === 'match' ||
    (byte === undefined ? (mayEnd[at] ?? true) : first.rows[(first.rowOf[at] ?? 0) + byte] === 1);

  /** Whether the choice at this place was tried before; it is now. */
  const isTried = (step: number, offset: number): boolean => {
    const bit = step * WINDOW_BYTES + offset;
    const byte = bit >> 3;
    const was = visited[byte] ?? 0;
    if (((was >> (bit & 7)) & 1) === 1) return true;
    if (was === 0) touched.push(byte);
    visited[byte] = was | (1 << (bit & 7));
    return false;
  };

  const clear = (): void => {
    for (const byte of touched) visited[byte] = 0;
    touched.length = 0;
    stack.length = 0;
  };

  const walk = (text: Uint8Array, from: number, found: Found): number => {
    let at = program.start;
    let place = from;
    let taken = 0;
    for (;;) {
      taken += 1;
      const step: MatchStep | undefined = steps[at];
      let fails = step === undefined;
      if (step?.kind === 'byte') {
        const byte = text[place];
        if (byte !== undefined && byte >= 0x80 && step.high) return ASK_RE2;
        if (byte !== undefined && byte < 0x80 && own.rows[(own.rowOf[at] ?? 0) + byte] === 1) {
          place += 1;
          at = step.next;
          if (place - from >= WINDOW_BYTES) return ASK_RE2;
        } else fails = true;
      } else if (step?.kind === 'split') {
        const byte = text[place];
        const second = admits(step.second, byte);
        if (!admits(step.first, byte)) {
          at = step.second;
          fails = !second;
        } else if (!second) at = step.first;
        else if (isTried(at, place - from)) fails = true;
        else {
          stack.push(place, step.second);
          at = step.first;
        }
      } else if (step?.kind === 'mark') {
        if (step.edge === 'start') {
          stack.push(found.start, RESTORE_START);
          found.start = place;
        } else {
          stack.push(found.end, RESTORE_END);
          found.end = place;
        }
        at = step.next;
      } else if (step?.kind === 'assert') {
        at = step.next;
        fails = !holdsAt(step.assertion, text, place);
      } else if (step?.kind === 'match') {
        found.walked = Math.ceil(taken / STEPS_A_BYTE);
        return place;
      }
      if (taken > MOST_STEPS_TAKEN) return ASK_RE2;
      while (fails) {
        const next = stack.pop();
        if (next === undefined) {
          found.walked = Math.ceil(taken / STEPS_A_BYTE);
          return NO_MATCH;
        }
        const value = stack.pop() ?? 0;
        if (next === RESTORE_START) found.start = value;
        else if (next === RESTORE_END) found.end = value;
        else {
          at = next;
          place = value;
          fails = false;
        }
      }
    }
  };

  return {
    matchAt: (text, from, found) => {
      found.start = -1;
      found.end = -1;
      const to = walk(text, from, found);
      clear();
      return to;
    },
  };
};

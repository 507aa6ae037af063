/**
 * What RE2 would match at a place, without asking it: a deterministic automaton that is made while it is walked, each of
 * its states an ordered list of steps, so that the first choice is known at every byte. Where the value stands is read
 * back from which step of a list came from which step of the list before.
 *
 * A call of RE2 costs more than most matches have bytes, and one that asks for a group ten times as much. RE2 still
 * decides wherever a byte outside ASCII may take part, and whatever grows too large.
 */
import { openChoiceWalk } from './choice-walk.js';
import {
  ASK_RE2,
  EDGE,
  type FirstMatch,
  type Found,
  holds,
  KIND_OF,
  KINDS,
  kindAt,
  LINE_FEED_SET,
  NO_MATCH,
  OTHER,
  WORD_SET,
} from './match-answers.js';
import { classesOf } from './pattern/byte-classes.js';
import { type ByteSet, hasByte, setOf } from './pattern/byte-set.js';
import type { MatchProgram } from './pattern/match-program.js';

/** Bytes of tables that all automata of a thread may hold together. */
export interface TableRoom {
  bytes: number;
}

const HIGH = setOf([0x80, 0xff]);
const UNKNOWN = 0;
const DEAD = -1;
const UNSURE = -2;
/** There is no room for where a step leads. */
const NO_ROOM = -3;

const FIRST_STATES = 16;
const FIRST_ORIGINS = 64;
const MOST_STATES = 2048;
/** Longer matches whose value's place has to be read back are left to RE2. */
const MOST_PATH = 16 * 1024;
/** Shared: a path is read back before the next match begins. */
const path = new Int16Array(MOST_PATH);

const STARTS_HERE = 1;
const ENDS_HERE = 2;

/** Steps in order of preference, each with the index of the step it came from and the marks on the way. */
interface Choices {
  readonly steps: number[];
  /** `index << 2 | marks` */
  readonly origins: number[];
}

/** Adds what is reached from `from` without a byte; answers whether a match was, after which nothing is preferred. */
const follow = (
  { steps }: MatchProgram,
  from: number,
  origin: number,
  [before, behind]: readonly [number, number],
  seen: Uint8Array,
  choices: Choices,
): boolean => {
  const open: number[] = [from, 0];
  while (open.length > 0) {
    const marks = open.pop() ?? 0;
    const at = open.pop() ?? 0;
    const step = steps[at];
    if (step === undefined || seen[at] === 1) continue;
    seen[at] = 1;
    if (step.kind === 'split') open.push(step.second, marks, step.first, marks);
    else if (step.kind === 'mark') open.push(step.next, marks | (step.edge === 'start' ? STARTS_HERE : ENDS_HERE));
    else if (step.kind === 'assert') {
      if (holds(step.assertion, before, behind)) open.push(step.next, marks);
    } else {
      choices.steps.push(at);
      choices.origins.push((origin << 2) | marks);
      if (step.kind === 'match') return true;
    }
  }
  return false;
};

interface State {
  readonly steps: ArrayLike<number>;
  readonly matches: boolean;
  /** Whether a step of it takes characters outside ASCII. */
  readonly high: boolean;
}

/** @param tracksValue whether the program marks a value that has to be found */
export const openFirstMatch = (program: MatchProgram, tracksValue: boolean, room: TableRoom): FirstMatch => {
  const { looksAround } = program;
  const sets: ByteSet[] = [HIGH, ...(looksAround ? [LINE_FEED_SET, WORD_SET] : [])];
  for (const step of program.steps) if (step.kind === 'byte') sets.push(step.set);
  const { classOf, classes, byteOf } = classesOf(sets);
  const kinds = looksAround ? KINDS : 1;
  const width = classes * kinds;

  const states: State[] = [{ steps: [], matches: false, high: false }];
  const numbers = new Map<string, number>();
  let next = new Int16Array(FIRST_STATES * width);
  let matching = new Uint8Array(FIRST_STATES);
  /** By slot of `next`: where its step's origins begin in `origins`. */
  let originsAt = new Int32Array(tracksValue ? next.length : 0);
  let origins = new Uint16Array(FIRST_ORIGINS);
  let originsUsed = 0;
  /** By what stands on both sides of the start: state and marks. */
  const starts: ({ readonly state: number; readonly origins: Uint16Array } | undefined)[] = [];
  /** Asked where there is no room for what the automaton would need. */
  let instead: FirstMatch | null = null;
  room.bytes -= next.byteLength;

  /** Makes room for one more state; answers whether there is any. */
  const grow = (): boolean => {
    if (states.length < matching.length) return true;
    const moreBytes = next.byteLength + originsAt.byteLength;
    if (matching.length >= MOST_STATES || room.bytes < moreBytes) return false;
    room.bytes -= moreBytes;
    const larger = new Int16Array(next.length * 2);
    larger.set(next);
    next = larger;
    if (tracksValue) {
      const places = new Int32Array(larger.length);
      places.set(originsAt);
      originsAt = places;
    }
    const flags = new Uint8Array(matching.length * 2);
    flags.set(matching);
    matching = flags;
    return true;
  };

  /** Number of the state with these steps, or `NO_ROOM`. */
  const stateOf = (steps: readonly number[]): number => {
    if (steps.length === 0) return DEAD;
    const key = steps.join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (!grow()) return NO_ROOM;
    const number = states.length;
    const kinds = steps.map((at) => program.steps[at]);
    const matches = kinds.at(-1)?.kind === 'match';
    states.push({
      steps: Uint16Array.from(steps),
      matches,
      high: kinds.some((step) => step?.kind === 'byte' && step.high),
    });
    if (matches) matching[number] = 1;
    numbers.set(key, number);
    return number;
  };

  const startState = (before: number, behind: number): { readonly state: number; readonly origins: Uint16Array } => {
    const known = starts[before * KINDS + behind];
    if (known !== undefined) return known;
    const choices: Choices = { steps: [], origins: [] };
    follow(program, program.start, 0, [before, behind], new Uint8Array(program.steps.length), choices);
    const made = { state: stateOf(choices.steps), origins: Uint16Array.from(choices.origins) };
    starts[before * KINDS + behind] = made;
    return made;
  };

  const keepOrigins = (slot: number, list: readonly number[]): void => {
    if (originsUsed + list.length > origins.length) {
      const larger = new Uint16Array(Math.max(origins.length * 2, originsUsed + list.length));
      larger.set(origins);
      room.bytes -= larger.byteLength - origins.byteLength;
      origins = larger;
    }
    origins.set(list, originsUsed);
    originsAt[slot] = originsUsed;
    originsUsed += list.length;
  };

  /** Works out where `state` goes in column `column`. */
  const stepOf = (state: number, column: number): number => {
    const byte = byteOf[Math.floor(column / kinds)] ?? 0;
    const { steps, high } = states[state] ?? { steps: [], high: false };
    if (byte >= 0x80) return high ? UNSURE : DEAD;
    const choices: Choices = { steps: [], origins: [] };
    const seen = new Uint8Array(program.steps.length);
    const sides = [KIND_OF[byte] ?? OTHER, column % kinds] as const;
    for (let index = 0; index < steps.length; index += 1) {
      const step = program.steps[steps[index] ?? 0];
      if (step?.kind !== 'byte' || !hasByte(step.set, byte)) continue;
      if (follow(program, step.next, index, sides, seen, choices)) break;
    }
    const to = stateOf(choices.steps);
    if (tracksValue && to > 0) keepOrigins(state * width + column, choices.origins);
    return to;
  };

  const columnAt = (text: Uint8Array, at: number): number => {
    const one = classOf[text[at] ?? 0] ?? 0;
    return looksAround ? one * KINDS + kindAt(text, at + 1) : one;
  };

  /** Reads the value's place back from the states that were passed. */
  const readBack = (
    text: Uint8Array,
    from: number,
    to: number,
    last: number,
    found: Found,
    first: Uint16Array,
  ): void => {
    let start = -1;
    let end = -1;
    let index = (states[last]?.steps.length ?? 1) - 1;
    for (let at = to; start === -1 && at >= from; at -= 1) {
      const slot = at > from ? (path[at - 1 - from] ?? 0) * width + columnAt(text, at - 1) : 0;
      const origin = at > from ? (origins[(originsAt[slot] ?? 0) + index] ?? 0) : (first[index] ?? 0);
      if ((origin & ENDS_HERE) !== 0 && end === -1) end = at;
      if ((origin & STARTS_HERE) !== 0) start = at;
      index = origin >> 2;
    }
    found.start = start;
    found.end = end;
  };

  const askInstead = (text: Uint8Array, from: number, found: Found): number => {
    instead ??= openChoiceWalk(program);
    return instead.matchAt(text, from, found);
  };

  return {
    matchAt: (text, from, found) => {
      const begin = looksAround ? startState(kindAt(text, from - 1), kindAt(text, from)) : startState(EDGE, EDGE);
      let state = begin.state;
      found.walked = 0;
      if (state <= 0) return state === DEAD ? NO_MATCH : askInstead(text, from, found);
      let to = matching[state] === 1 ? from : NO_MATCH;
      let last = state;
      let at = from;
      const size = text.length;
      const most = tracksValue ? Math.min(size, from + MOST_PATH) : size;
      for (; at < most; at += 1) {
        const one = classOf[text[at] ?? 0] ?? 0;
        const column = looksAround ? one * KINDS + kindAt(text, at + 1) : one;
        const slot = state * width + column;
        let on = next[slot] ?? DEAD;
        if (on === UNKNOWN) {
          on = stepOf(state, column);
          next[slot] = on;
        }
        if (on < 0) {
          found.walked = at - from;
          if (on === UNSURE) return ASK_RE2;
          if (on === NO_ROOM) return askInstead(text, from, found);
          break;
        }
        if (tracksValue) path[at - from] = state;
        state = on;
        if (matching[state] === 1) {
          to = at + 1;
          last = state;
        }
      }
      found.walked = at - from;
      if (at === most && most < size) return ASK_RE2;
      if (to === NO_MATCH || !tracksValue) return to;
      readBack(text, from, to, last, found, begin.origins);
      return to;
    },
  };
};

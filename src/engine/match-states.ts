/**
 * The states of a match automaton and where they go, worked out when they are first asked for: most of an automaton is
 * never walked. A state is an ordered list of steps; two with the same list are one. The tables are replaced when they
 * grow, so whoever walks them reads them again after each step that was worked out.
 */
import { type Choices, clearChoices, follow, openChoices } from './follow-steps.js';
import { KIND_OF, KINDS, LINE_FEED_SET, OTHER, WORD_SET } from './match-answers.js';
import { classesOf } from './pattern/byte-classes.js';
import { type ByteSet, hasByte, setOf } from './pattern/byte-set.js';
import type { MatchProgram } from './pattern/match-program.js';

/** Bytes of tables that all automata of a thread may hold together. */
export interface TableRoom {
  bytes: number;
}

/** Where a step leads, besides states (from 1 on). Not worked out yet; no match any more; a byte that RE2 has to judge. */
export const UNKNOWN = 0;
export const DEAD = -1;
export const UNSURE = -2;
/** There is no room for where it leads. */
export const NO_ROOM = -3;

const HIGH = setOf([0x80, 0xff]);
const FIRST_STATES = 16;
const FIRST_ORIGINS = 64;
const MOST_STATES = 2048;

interface State {
  readonly steps: Uint16Array;
  /** Whether a step of it takes characters outside ASCII. */
  readonly high: boolean;
}

/** The state a walk begins in, and by its steps the marks that are passed before the first byte. */
export interface StartState {
  readonly state: number;
  readonly origins: Uint16Array;
}

export interface MatchStates {
  /** By byte: its class. */
  readonly classOf: Uint8Array;
  /** Columns of a class: what stands behind the byte, where the program asks for it. */
  readonly kinds: number;
  /** Columns of a state. */
  readonly width: number;
  /** By state and column. */
  next: Int16Array;
  /** By state: 1 where a match ends in it. */
  matching: Uint8Array;
  /** By slot of `next`: where the origins of its step begin in `origins`; empty where no value is looked for. */
  originsAt: Int32Array;
  origins: Uint16Array;
  startAt(before: number, behind: number): StartState;
  /** Works out where `state` goes in `column`, notes it and answers it. */
  stepOf(state: number, column: number): number;
  /** Index of the state's last step: the one that ends the match where it matches. */
  lastStep(state: number): number;
}

/** Columns of the tables: bytes that every step treats alike share one. */
const columnsOf = ({ steps, looksAround }: MatchProgram) => {
  const sets = new Set<ByteSet>([HIGH, ...(looksAround ? [LINE_FEED_SET, WORD_SET] : [])]);
  for (const step of steps) if (step.kind === 'byte') sets.add(step.set);
  return classesOf([...sets]);
};

const hashOf = (steps: ArrayLike<number>): number => {
  let hash = steps.length;
  for (let at = 0; at < steps.length; at += 1) hash = (Math.imul(hash, 0x01000193) ^ (steps[at] ?? 0)) | 0;
  return hash;
};

const sameSteps = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
};

/** Numbers lists of steps, equal ones alike; asks for room before it makes a new state. */
const stateNumbers = (program: MatchProgram, makeRoom: (state: number) => boolean) => {
  const states: State[] = [{ steps: new Uint16Array(0), high: false }];
  const byHash = new Map<number, number[]>();
  return {
    states,
    /** Number of the state with these steps, `DEAD` without any, or `NO_ROOM`. */
    numberOf: (steps: readonly number[]): number => {
      if (steps.length === 0) return DEAD;
      const hash = hashOf(steps);
      const alike = byHash.get(hash) ?? [];
      for (const number of alike) if (sameSteps(states[number]?.steps ?? [], steps)) return number;
      if (!makeRoom(states.length)) return NO_ROOM;
      byHash.set(hash, alike);
      const isHigh = (at: number): boolean => {
        const step = program.steps[at];
        return step?.kind === 'byte' && step.high;
      };
      const number = states.length;
      states.push({ steps: Uint16Array.from(steps), high: steps.some(isHigh) });
      alike.push(number);
      return number;
    },
  };
};

/** Adds the steps that `byte` leads to from the state's. */
const followByte = (
  program: MatchProgram,
  choices: Choices,
  { steps }: State,
  byte: number,
  before: number,
  behind: number,
): void => {
  clearChoices(choices);
  for (let index = 0; index < steps.length; index += 1) {
    const step = program.steps[steps[index] ?? 0];
    if (step?.kind !== 'byte' || !hasByte(step.set, byte)) continue;
    if (follow(program, choices, step.next, index, before, behind)) return;
  }
};

const doubled = <T extends Int16Array | Int32Array | Uint8Array | Uint16Array>(array: T, length: number): T => {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
};

/**
 * @param tracksValue whether the program marks a value that has to be found
 * @param room is used up as the tables grow
 */
export const openMatchStates = (program: MatchProgram, tracksValue: boolean, room: TableRoom): MatchStates => {
  const { classOf, classes, byteOf } = columnsOf(program);
  const kinds = program.looksAround ? KINDS : 1;
  const width = classes * kinds;
  const choices = openChoices(program);
  const starts: (StartState | undefined)[] = [];
  let originsUsed = 0;

  /** Answers whether there is room for state `number`. */
  const makeRoom = (number: number): boolean => {
    if (number < made.matching.length) return true;
    const moreBytes = made.next.byteLength + made.originsAt.byteLength;
    if (number >= MOST_STATES || room.bytes < moreBytes) return false;
    room.bytes -= moreBytes;
    made.next = doubled(made.next, made.next.length * 2);
    made.originsAt = doubled(made.originsAt, made.originsAt.length * 2);
    made.matching = doubled(made.matching, made.matching.length * 2);
    return true;
  };
  const { states, numberOf } = stateNumbers(program, makeRoom);

  const stateOf = (steps: readonly number[]): number => {
    const number = numberOf(steps);
    if (number > 0 && program.steps[steps.at(-1) ?? -1]?.kind === 'match') made.matching[number] = 1;
    return number;
  };

  const keepOrigins = (slot: number, list: readonly number[]): void => {
    if (originsUsed + list.length > made.origins.length) {
      const larger = Math.max(made.origins.length * 2, originsUsed + list.length);
      room.bytes -= (larger - made.origins.length) * made.origins.BYTES_PER_ELEMENT;
      made.origins = doubled(made.origins, larger);
    }
    made.origins.set(list, originsUsed);
    made.originsAt[slot] = originsUsed;
    originsUsed += list.length;
  };

  const target = (state: number, column: number): number => {
    const byte = byteOf[Math.floor(column / kinds)] ?? 0;
    const from = states[state];
    if (from === undefined) return DEAD;
    if (byte >= 0x80) return from.high ? UNSURE : DEAD;
    followByte(program, choices, from, byte, KIND_OF[byte] ?? OTHER, column % kinds);
    const to = stateOf(choices.steps);
    if (tracksValue && to > 0) keepOrigins(state * width + column, choices.origins);
    return to;
  };

  const made: MatchStates = {
    ...{ classOf, kinds, width },
    next: new Int16Array(FIRST_STATES * width),
    matching: new Uint8Array(FIRST_STATES),
    originsAt: new Int32Array(tracksValue ? FIRST_STATES * width : 0),
    origins: new Uint16Array(FIRST_ORIGINS),
    startAt: (before, behind) => {
      const known = starts[before * KINDS + behind];
      if (known !== undefined) return known;
      clearChoices(choices);
      follow(program, choices, program.start, 0, before, behind);
      const start = { state: stateOf(choices.steps), origins: Uint16Array.from(choices.origins) };
      starts[before * KINDS + behind] = start;
      return start;
    },
    stepOf: (state, column) => {
      const to = target(state, column);
      made.next[state * width + column] = to;
      return to;
    },
    lastStep: (state) => (states[state]?.steps.length ?? 1) - 1,
  };
  room.bytes -= made.next.byteLength;
  return made;
};

/**
 * What RE2 would match at a place, without asking it: a deterministic automaton that is made while it is walked, each of
 * its states an ordered list of steps, so that the first choice is known at every byte. Where the value stands is read
 * back from which step of a list came from which step of the list before.
 *
 * A call of RE2 costs more than most matches have bytes, and one that asks for a group ten times as much. RE2 still
 * decides wherever a byte outside ASCII may take part, and whatever grows too large.
 */
import { openChoiceWalk } from './choice-walk.js';
import { ENDS_HERE, STARTS_HERE } from './follow-steps.js';
import { ASK_RE2, EDGE, type FirstMatch, type Found, KINDS, kindAt, NO_MATCH } from './match-answers.js';
import {
  DEAD,
  type MatchStates,
  NO_ROOM,
  openMatchStates,
  type StartState,
  type TableRoom,
  UNKNOWN,
  UNSURE,
} from './match-states.js';
import type { MatchProgram } from './pattern/match-program.js';

/** Longer matches whose value's place has to be read back are left to RE2. */
const MOST_PATH = 16 * 1024;
/** The states that were passed, by byte. Shared: a path is read back before the next match begins. */
const path = new Int16Array(MOST_PATH);

const columnAt = ({ classOf, kinds }: MatchStates, text: Uint8Array, at: number): number => {
  const one = classOf[text[at] ?? 0] ?? 0;
  return kinds === 1 ? one : one * KINDS + kindAt(text, at + 1);
};

/** Reads the value's place in the match `[from, to)` back from the path; `last` is the state it ended in. */
const readBack = (
  states: MatchStates,
  start: StartState,
  text: Uint8Array,
  from: number,
  to: number,
  last: number,
  found: Found,
): void => {
  const { width, origins, originsAt } = states;
  found.start = -1;
  found.end = -1;
  let index = states.lastStep(last);
  for (let at = to; found.start === -1 && at >= from; at -= 1) {
    const slot = at > from ? (path[at - 1 - from] ?? 0) * width + columnAt(states, text, at - 1) : 0;
    const origin = at > from ? (origins[(originsAt[slot] ?? 0) + index] ?? 0) : (start.origins[index] ?? 0);
    if ((origin & ENDS_HERE) !== 0 && found.end === -1) found.end = at;
    if ((origin & STARTS_HERE) !== 0) found.start = at;
    index = origin >> 2;
  }
};

/** @param tracksValue whether the program marks a value that has to be found */
export const openFirstMatch = (program: MatchProgram, tracksValue: boolean, room: TableRoom): FirstMatch => {
  const states = openMatchStates(program, tracksValue, room);
  const { classOf, kinds, width } = states;
  const looksAround = kinds > 1;
  /** Asked where there is no room for what the automaton would need. */
  let instead: FirstMatch | null = null;
  const askInstead = (text: Uint8Array, from: number, found: Found): number => {
    instead ??= openChoiceWalk(program);
    return instead.matchAt(text, from, found);
  };

  return {
    matchAt: (text, from, found) => {
      const start = looksAround
        ? states.startAt(kindAt(text, from - 1), kindAt(text, from))
        : states.startAt(EDGE, EDGE);
      found.walked = 0;
      if (start.state <= 0) return start.state === DEAD ? NO_MATCH : askInstead(text, from, found);
      let { next, matching } = states;
      let state = start.state;
      let to = matching[state] === 1 ? from : NO_MATCH;
      let last = state;
      let at = from;
      const most = tracksValue ? Math.min(text.length, from + MOST_PATH) : text.length;
      for (; at < most; at += 1) {
        const one = classOf[text[at] ?? 0] ?? 0;
        const column = looksAround ? one * KINDS + kindAt(text, at + 1) : one;
        let on = next[state * width + column] ?? DEAD;
        if (on === UNKNOWN) {
          on = states.stepOf(state, column);
          next = states.next;
          matching = states.matching;
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
      if (at === most && most < text.length) return ASK_RE2;
      if (to !== NO_MATCH && tracksValue) readBack(states, start, text, from, to, last, found);
      return to;
    },
  };
};

/**
 * Walks a text backwards from a literal to every place where a match with that literal could begin. Used for patterns
 * that have something of unknown length before their literal. It may name a place where no match begins, never miss one.
 */
import { type Edges, openSubsets } from './subsets.js';

/** State 0 is dead, state 1 is where a walk starts. */
export interface StartFinder {
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** `next[state * classes + class]`. */
  readonly next: Uint16Array;
  /** By state: 1 where a match may begin. */
  readonly begins: Uint8Array;
}

const MOST_FINDER_STATES = 400;

/** @returns `null` when it would take too many states */
export const buildStartFinder = (reversed: Edges, from: number, goal: number): StartFinder | null => {
  const subsets = openSubsets(reversed, from, goal);
  const rows: number[][] = [];
  for (let subset = 0; subset < subsets.count(); subset += 1) {
    if (subsets.count() > MOST_FINDER_STATES) return null;
    rows.push(subsets.row(subset));
  }
  return {
    classOf: subsets.classOf,
    classes: subsets.classes,
    next: Uint16Array.from(rows.flat()),
    begins: Uint8Array.from(rows, (_, subset) => (subsets.hasGoal(subset) ? 1 : 0)),
  };
};

/**
 * Appends every offset of `text` at which a match with a literal at `literalStart` could begin.
 * @returns the bytes that were looked at
 */
export const findStarts = (finder: StartFinder, text: Uint8Array, literalStart: number, starts: number[]): number => {
  let state = 1;
  let at = literalStart;
  if (finder.begins[state] === 1) starts.push(at);
  while (at > 0) {
    at -= 1;
    state = finder.next[state * finder.classes + (finder.classOf[text[at] ?? 0] ?? 0)] ?? 0;
    if (state === 0) break;
    if (finder.begins[state] === 1) starts.push(at);
  }
  return literalStart - at;
};

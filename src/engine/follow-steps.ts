/**
 * What a match program reaches from a step without reading a byte, in the order of preference: the steps that read one, up
 * to the first that ends a match, after which nothing is preferred. Worked out in lists that are used again and again: it
 * happens for every new state of every automaton, most of them in a thread that has just started.
 */
import { holds } from './match-answers.js';
import type { MatchProgram } from './pattern/match-program.js';

/** Marks of an origin: the value begins, or ends, where its step is entered. */
export const STARTS_HERE = 1;
export const ENDS_HERE = 2;

/** One list of choices while it is made. */
export interface Choices {
  /** Steps in order of preference. */
  readonly steps: number[];
  /** By entry of `steps`: index of the step it came from in the list before, and the marks on the way: `index << 2 | marks`. */
  readonly origins: number[];
  /** By step: the list it was met in last. */
  readonly metIn: Int32Array;
  list: number;
  /** Steps yet to be followed, each with the marks on its way. */
  readonly open: number[];
}

export const openChoices = ({ steps }: MatchProgram): Choices => ({
  steps: [],
  origins: [],
  metIn: new Int32Array(steps.length),
  list: 0,
  open: [],
});

/** Begins a new list. */
export const clearChoices = (choices: Choices): void => {
  choices.steps.length = 0;
  choices.origins.length = 0;
  choices.list += 1;
};

/**
 * Adds what is reached from `from`.
 *
 * @param origin index of the step it came from, @param before what stands before this place, @param behind and behind it
 * @returns whether the list ends in a match
 */
export const follow = (
  { steps }: MatchProgram,
  choices: Choices,
  from: number,
  origin: number,
  before: number,
  behind: number,
): boolean => {
  const { open, metIn, list } = choices;
  open.length = 0;
  open.push(from, 0);
  while (open.length > 0) {
    const marks = open.pop() ?? 0;
    const at = open.pop() ?? 0;
    const step = steps[at];
    if (step === undefined || metIn[at] === list) continue;
    metIn[at] = list;
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

/**
 * A parsed pattern as steps in the order of preference that RE2 has (leftmost, first choice): what `../first-match.ts`
 * walks instead of asking RE2. It covers ASCII only, exactly; a step that also takes characters outside ASCII says so, and
 * whoever meets one there has to ask RE2. A pattern whose repeated part may be empty is not covered: what such a loop
 * prefers is RE2's own affair.
 */
import type { ByteSet } from './byte-set.js';
import { type Assertion, byteLength, type PatternNode } from './pattern-node.js';

export type MatchStep =
  | { readonly kind: 'byte'; readonly set: ByteSet; readonly high: boolean; readonly next: number }
  /** `first` is preferred. */
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  /** The value begins or ends here. */
  | { readonly kind: 'mark'; readonly edge: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'match' };

export interface MatchProgram {
  readonly steps: readonly MatchStep[];
  readonly start: number;
  /** Whether any step asserts something about its surroundings. */
  readonly looksAround: boolean;
}

/** Larger programs are left to RE2. */
const MOST_STEPS = 6000;

class NotCovered extends Error {}

const add = (steps: MatchStep[], step: MatchStep): number => {
  if (steps.length >= MOST_STEPS) throw new NotCovered();
  steps.push(step);
  return steps.length - 1;
};

const addSplit = (steps: MatchStep[], lazy: boolean, on: number, out: number): number =>
  add(steps, lazy ? { kind: 'split', first: out, second: on } : { kind: 'split', first: on, second: out });

/** Writes steps from the pattern's end to its beginning: each is written when what follows it is known. */
const writer = (steps: MatchStep[], group: number) => {
  const repeat = (node: Extract<PatternNode, { kind: 'repeat' }>, out: number): number => {
    const { part, least, most, lazy } = node;
    if (most > 1 && byteLength(part).least === 0) throw new NotCovered();
    let next = out;
    if (Number.isFinite(most)) {
      for (let copy = least; copy < most; copy += 1) next = addSplit(steps, lazy, write(part, next), out);
    } else {
      const loop = add(steps, { kind: 'match' });
      const body = write(part, loop);
      steps[loop] = lazy ? { kind: 'split', first: out, second: body } : { kind: 'split', first: body, second: out };
      next = loop;
    }
    for (let copy = 0; copy < least; copy += 1) next = write(part, next);
    return next;
  };

  const write = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'assert':
        return add(steps, { kind: 'assert', assertion: node.assertion, next });
      case 'character':
        return add(steps, { kind: 'byte', set: node.ascii, high: node.high !== 'none', next });
      case 'concat':
        return node.parts.reduceRight((after, part) => write(part, after), next);
      case 'alternate':
        return node.parts
          .map((part) => write(part, next))
          .reduceRight((second, first) => add(steps, { kind: 'split', first, second }));
      case 'repeat':
        return repeat(node, next);
      case 'group': {
        if (node.index !== group) return write(node.part, next);
        const end = add(steps, { kind: 'mark', edge: 'end', next });
        return add(steps, { kind: 'mark', edge: 'start', next: write(node.part, end) });
      }
      default:
        return node satisfies never;
    }
  };
  return write;
};

/** @param group whose span is marked; 0 marks nothing. @returns `null` for a pattern that is not covered */
export const matchProgram = (root: PatternNode, group: number): MatchProgram | null => {
  const steps: MatchStep[] = [];
  try {
    const start = writer(steps, group)(root, add(steps, { kind: 'match' }));
    return { steps, start, looksAround: steps.some((step) => step.kind === 'assert') };
  } catch (error) {
    if (error instanceof NotCovered) return null;
    throw error;
  }
};

/**
 * Planned rules as JSON and one run of bytes. The automata of some hundred rules are most of it; as bytes they are read
 * back in a millisecond, and equal ones and equal byte sets are written once. What only a hit asks of a rule (its pattern,
 * filters and beginnings: most of the JSON) stands among the bytes and is parsed at the rule's first hit; a thread of a
 * small scan meets a few dozen of more than a thousand.
 */
import type { Rule } from '../contract/rule.js';
import type { ByteSet } from './pattern/byte-set.js';
import type { GroupLayout } from './pattern/group-layout.js';
import type { Guard } from './pattern/guard.js';
import type { Anchor } from './pattern/plan-pattern.js';
import type { StartFinder } from './pattern/start-finder.js';
import type { PlannedRule } from './planned-rule.js';

/** A range of the bytes: offset and length in bytes. */
type Run = readonly [number, number];

interface StoredGuard {
  readonly classes: number;
  readonly classOf: Run;
  readonly next: Run;
}

interface StoredFinder extends StoredGuard {
  readonly begins: Run;
}

interface StoredAnchor {
  /** Indexes of byte sets. */
  readonly literals: readonly (readonly number[])[];
  readonly inRuns: boolean;
  readonly mostBytes: number | null;
  /** Offset, index of the byte set, whether a text's beginning passes. */
  readonly probes: readonly (readonly [number, number, boolean])[];
  readonly forward: readonly StoredGuard[];
  readonly backward: StoredGuard | null;
  readonly bytesBefore: number;
  readonly finder: StoredFinder | null;
}

/** JSON among the bytes. */
interface LateRule extends Pick<Rule, 'pattern' | 'filters' | 'description' | 'source'> {
  /** The planned pattern; `null` where it is the rule's own. */
  readonly planned: string | null;
  /** Heads as indexes of byte sets. */
  readonly split: { readonly heads: readonly (readonly number[])[]; readonly rest: string } | null;
}

interface StoredRule {
  readonly rule: Pick<Rule, 'id' | 'kind' | 'family' | 'severity' | 'group'>;
  readonly group: number;
  readonly layout: GroupLayout | null;
  readonly late: Run;
  readonly plan: {
    readonly anchors: readonly StoredAnchor[];
    readonly vainBytes: number | null;
    readonly odds: number;
  } | null;
}

export interface StoredPlans {
  readonly sets: readonly (readonly number[])[];
  readonly rules: readonly StoredRule[];
}

interface Store {
  readonly parts: Buffer[];
  readonly runs: Map<string, Run>;
  readonly sets: Map<string, number>;
  length: number;
}

/** Writes an array once, on an even offset. */
const putRun = (store: Store, array: Uint8Array | Uint16Array): Run => {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const key = bytes.toString('latin1');
  const known = store.runs.get(key);
  if (known !== undefined) return known;
  const run: Run = [store.length, bytes.length];
  const padding = Buffer.alloc(bytes.length % 2);
  store.parts.push(bytes, padding);
  store.length += bytes.length + padding.length;
  store.runs.set(key, run);
  return run;
};

const putSet = (store: Store, set: ByteSet): number => {
  const key = set.join();
  const known = store.sets.get(key) ?? store.sets.size;
  store.sets.set(key, known);
  return known;
};

const putGuard = (store: Store, guard: Guard): StoredGuard => ({
  classes: guard.classes,
  classOf: putRun(store, guard.classOf),
  next: putRun(store, guard.next),
});

const putAnchor = (store: Store, anchor: Anchor): StoredAnchor => {
  const { start } = anchor;
  return {
    literals: anchor.literals.map((literal) => literal.map((set) => putSet(store, set))),
    inRuns: anchor.inRuns,
    mostBytes: anchor.mostBytes,
    probes: anchor.probes.map(({ offset, set, orEdge }) => [offset, putSet(store, set), orEdge] as const),
    forward: anchor.forward.map((guard) => putGuard(store, guard)),
    backward: anchor.backward === null ? null : putGuard(store, anchor.backward),
    bytesBefore: start.kind === 'fixed' ? start.bytesBefore : -1,
    finder:
      start.kind === 'found' ? { ...putGuard(store, start.finder), begins: putRun(store, start.finder.begins) } : null,
  };
};

const lateOf = (store: Store, { rule, pattern, split }: PlannedRule): LateRule => ({
  ...{ pattern: rule.pattern, filters: rule.filters, description: rule.description, source: rule.source },
  planned: pattern === rule.pattern ? null : pattern,
  split: split === null ? null : { ...split, heads: split.heads.map((head) => head.map((set) => putSet(store, set))) },
});

export const encodePlans = (rules: readonly PlannedRule[]): { readonly plans: StoredPlans; readonly bytes: Buffer } => {
  const store: Store = { parts: [], runs: new Map(), sets: new Map(), length: 0 };
  const stored = rules.map((planned): StoredRule => {
    const { plan, group, layout } = planned;
    const { id, kind, family, severity, group: own } = planned.rule;
    return {
      rule: { id, kind, family, severity, group: own },
      ...{ group, layout },
      late: putRun(store, Buffer.from(JSON.stringify(lateOf(store, planned)), 'utf8')),
      plan: plan === null ? null : { ...plan, anchors: plan.anchors.map((anchor) => putAnchor(store, anchor)) },
    };
  });
  const sets = [...store.sets.keys()].map((key) => key.split(',').map(Number));
  return { plans: { sets, rules: stored }, bytes: Buffer.concat(store.parts) };
};

interface Source {
  readonly bytes: Uint8Array;
  readonly sets: readonly ByteSet[];
}

const bytesAt = ({ bytes }: Source, [offset, length]: Run): Uint8Array => bytes.subarray(offset, offset + length);

const wordsAt = ({ bytes }: Source, [offset, length]: Run): Uint16Array =>
  new Uint16Array(bytes.buffer, bytes.byteOffset + offset, length / 2);

const setAt = ({ sets }: Source, index: number): ByteSet => {
  const set = sets[index];
  if (set === undefined) throw new RangeError(`the rule tables have no byte set ${index}`);
  return set;
};

const guardAt = (source: Source, stored: StoredGuard): Guard => ({
  classes: stored.classes,
  classOf: bytesAt(source, stored.classOf),
  next: wordsAt(source, stored.next),
});

const finderAt = (source: Source, stored: StoredFinder): StartFinder => ({
  ...guardAt(source, stored),
  begins: bytesAt(source, stored.begins),
});

const anchorAt = (source: Source, stored: StoredAnchor): Anchor => ({
  literals: stored.literals.map((literal) => literal.map((set) => setAt(source, set))),
  inRuns: stored.inRuns,
  mostBytes: stored.mostBytes,
  probes: stored.probes.map(([offset, set, orEdge]) => ({ offset, set: setAt(source, set), orEdge })),
  forward: stored.forward.map((guard) => guardAt(source, guard)),
  backward: stored.backward === null ? null : guardAt(source, stored.backward),
  start:
    stored.finder === null
      ? { kind: 'fixed', bytesBefore: stored.bytesBefore }
      : { kind: 'found', finder: finderAt(source, stored.finder) },
});

/** Parses what a hit asks for when one first does. */
const lateAt = (source: Source, run: Run): (() => LateRule) => {
  let known: LateRule | null = null;
  return () => {
    const { buffer, byteOffset, byteLength } = bytesAt(source, run);
    known ??= JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) as LateRule;
    return known;
  };
};

const plannedAt = (source: Source, { rule, group, layout, late: run, plan }: StoredRule): PlannedRule => {
  const late = lateAt(source, run);
  return {
    rule: {
      ...rule,
      get description() {
        return late().description;
      },
      get pattern() {
        return late().pattern;
      },
      get filters() {
        return late().filters;
      },
      get source() {
        return late().source;
      },
    },
    ...{ group, layout },
    get pattern() {
      return late().planned ?? late().pattern;
    },
    get split() {
      const { split } = late();
      return split === null
        ? null
        : { ...split, heads: split.heads.map((head) => head.map((set) => setAt(source, set))) };
    },
    plan: plan === null ? null : { ...plan, anchors: plan.anchors.map((anchor) => anchorAt(source, anchor)) },
  };
};

/** @param bytes on an even address; the rules keep views of it */
export const decodePlans = (plans: StoredPlans, bytes: Uint8Array): PlannedRule[] => {
  const source: Source = { bytes, sets: plans.sets.map((words) => Uint32Array.from(words)) };
  return plans.rules.map((stored) => plannedAt(source, stored));
};

/**
 * The memory of the prefilter: tables below, text and results above, its size fixed when it is opened. Rows of the
 * automaton that report lie on one side of `REPORTING`, the others on the other, as the loops in `wasm/` expect.
 */
import { type LiteralAutomaton, RUN_ROOT, TEXT_ROOT } from './literal-automaton.js';
import { type ByteSet, bytesOf } from './pattern/byte-set.js';
import type { Guard } from './pattern/guard.js';
import type { Anchor } from './pattern/plan-pattern.js';

/** Bytes of text that are looked at in one go. */
export const CHUNK_BYTES = 256 * 1024;
/** Text on each side of a part of a larger one that guards may look at. */
export const MARGIN_BYTES = 1024;
export const RECORD_LIMIT = 16 * 1024;
/** Texts that are looked at in one go. */
export const ITEM_LIMIT = 4096;
export const RECORD_WORDS = 3;

const CLASS_MAP = 1024;
const TABLES = 2048;
const REPORTING = 0x100_0000;
const PAGE_BYTES = 64 * 1024;
const ANCHOR_BYTES = 64;
/** First word of an anchor's probes. */
const PROBES_AT = 5;
/** The four streams run this much over their part. */
export const OVERRUN_BYTES = 64;
const HIT_BYTES = 8;

export interface PrefilterLayout {
  /** Rows that texts and runs are read from. */
  readonly textRoot: number;
  readonly runRoot: number;
  readonly rowBytes: number;
  readonly anchors: number;
  readonly outputs: number;
  /** A word a rule. */
  readonly work: number;
  readonly items: number;
  readonly text: number;
  readonly counts: number;
  readonly hits: number;
  readonly roomBytes: number;
  readonly records: number;
  readonly pages: number;
}

const aligned = (address: number): number => (address + 63) & ~63;

const guardBytes = (guard: Guard): number => aligned(4 + 256 + guard.next.byteLength);

const distinctGuards = (anchors: readonly Anchor[]): Set<Guard> => {
  const guards = new Set<Guard>();
  for (const { forward, backward } of anchors) {
    for (const guard of forward) guards.add(guard);
    if (backward !== null) guards.add(backward);
  }
  return guards;
};

/** Sets are told apart by identity: those of the tables are shared, an equal one more costs a bit of a table. */
const distinctSets = (anchors: readonly Anchor[]): Pick<ProbeSets, 'sets' | 'indexOf'> => {
  const indexOf = new Map<ByteSet, number>();
  for (const { probes } of anchors) {
    for (const { set } of probes) if (!indexOf.has(set)) indexOf.set(set, indexOf.size);
  }
  return { sets: [...indexOf.keys()], indexOf };
};

export interface PrefilterRules {
  readonly anchors: readonly Anchor[];
  /** By anchor, the rule it belongs to, below `rules`. */
  readonly ruleOf: readonly number[];
  readonly rules: number;
}

export interface FilledLayout extends PrefilterLayout {
  readonly guards: ReadonlyMap<Guard, number>;
  readonly probeSets: ProbeSets;
}

/** Byte sets of the probes, eight to a table of 256 bytes: by set its table and bit. */
interface ProbeSets {
  readonly address: number;
  readonly indexOf: ReadonlyMap<ByteSet, number>;
  readonly sets: readonly ByteSet[];
}

/** @throws RangeError when the tables do not fit below `REPORTING` */
export const layOut = (automaton: LiteralAutomaton, { anchors, rules }: PrefilterRules): FilledLayout => {
  const rowBytes = aligned(automaton.classes * 4);
  let at = aligned(TABLES);
  const take = (bytes: number): number => {
    const address = at;
    at = aligned(at + bytes);
    return address;
  };
  const anchorTable = take(anchors.length * ANCHOR_BYTES);
  const outputs = take(automaton.outputStarts.length * 8 + automaton.outputs.byteLength);
  const work = take(rules * 4);
  const items = take(ITEM_LIMIT * 8);
  const counts = take(16);
  const guards = new Map<Guard, number>();
  for (const guard of distinctGuards(anchors)) guards.set(guard, take(guardBytes(guard)));
  const { sets, indexOf } = distinctSets(anchors);
  const probeSets = { address: take(Math.ceil(sets.length / 8) * 256), sets, indexOf };
  const root = REPORTING - automaton.firstReporting * rowBytes;
  const roots = { textRoot: root + TEXT_ROOT * rowBytes, runRoot: root + RUN_ROOT * rowBytes };
  if (at > root) throw new RangeError(`the prefilter's tables need ${at} bytes below its rows, and have ${root}`);
  at = aligned(REPORTING + (automaton.rows - automaton.firstReporting) * rowBytes);
  if (at > 2 * REPORTING) throw new RangeError(`the prefilter's rows need ${at} bytes, and have ${2 * REPORTING}`);
  const text = take(MARGIN_BYTES + CHUNK_BYTES + MARGIN_BYTES + OVERRUN_BYTES);
  // The four rooms together hold the hits of runs too, which are looked for with the margins.
  const roomBytes = (CHUNK_BYTES / 4 + MARGIN_BYTES) * HIT_BYTES;
  const hits = take(4 * roomBytes);
  const records = take(RECORD_LIMIT * RECORD_WORDS * 4);
  const pages = Math.ceil(at / PAGE_BYTES);
  return {
    ...{
      ...roots,
      rowBytes,
      anchors: anchorTable,
      outputs,
      work,
      items,
      text,
      counts,
      hits,
      roomBytes,
      records,
      pages,
    },
    guards,
    probeSets,
  };
};

const writeGuard = (memory: ArrayBuffer, address: number, guard: Guard): void => {
  new Uint32Array(memory, address, 1)[0] = guard.classes;
  new Uint8Array(memory, address + 4, 256).set(guard.classOf);
  new Uint16Array(memory, address + 260, guard.next.length).set(guard.next);
};

const writeRows = (memory: ArrayBuffer, layout: PrefilterLayout, automaton: LiteralAutomaton): void => {
  const { next, rows, classes, placeOf } = automaton;
  const { textRoot, rowBytes } = layout;
  // Places run on from the first root's across `REPORTING`.
  const addressOf = placeOf.map((place) => textRoot + place * rowBytes);
  const words = new Uint32Array(memory, textRoot, (rows * rowBytes) / 4);
  for (let row = 0, from = 0; row < rows; row += 1) {
    const to = ((placeOf[row] ?? 0) * rowBytes) / 4;
    for (let at = to; at < to + classes; at += 1, from += 1) words[at] = addressOf[next[from] ?? 0] ?? 0;
  }
};

const writeOutputs = (memory: ArrayBuffer, layout: PrefilterLayout, automaton: LiteralAutomaton): void => {
  const { outputs, outputStarts } = automaton;
  const first = layout.outputs + outputStarts.length * 8;
  const slots = new Uint32Array(memory, layout.outputs, outputStarts.length * 2);
  for (let row = 0; row + 1 < outputStarts.length; row += 1) {
    slots[row * 2] = first + (outputStarts[row] ?? 0) * 4;
    slots[row * 2 + 1] = first + (outputStarts[row + 1] ?? 0) * 4;
  }
  new Int32Array(memory, first, outputs.length).set(outputs);
};

const writeProbeSets = (memory: ArrayBuffer, { address, sets }: ProbeSets): void => {
  sets.forEach((set, index) => {
    const table = new Uint8Array(memory, address + (index >> 3) * 256, 256);
    for (const byte of bytesOf(set)) table[byte] = (table[byte] ?? 0) | (1 << (index & 7));
  });
};

/**
 * An anchor is 16 words: two forward guards, a backward one, the rule's work, the number of probes and above it the most
 * bytes a match takes behind the literal's start (0 without a bound), two words a probe.
 */
const writeAnchor = (memory: ArrayBuffer, layout: FilledLayout, anchor: Anchor, index: number, rule: number): void => {
  const words = new Uint32Array(memory, layout.anchors + index * ANCHOR_BYTES, ANCHOR_BYTES / 4);
  const addressOf = (guard: Guard | null | undefined): number =>
    guard === null || guard === undefined ? 0 : (layout.guards.get(guard) ?? 0);
  words[0] = addressOf(anchor.forward[0]);
  words[1] = addressOf(anchor.forward[1]);
  words[2] = addressOf(anchor.backward);
  words[3] = layout.work + rule * 4;
  words[4] = anchor.probes.length | ((anchor.mostBytes ?? 0) << 8);
  const { address, indexOf } = layout.probeSets;
  anchor.probes.forEach(({ offset, set, orEdge }, at) => {
    const set8 = indexOf.get(set) ?? 0;
    words[PROBES_AT + at * 2] = offset * 2 + (orEdge ? 1 : 0);
    words[PROBES_AT + at * 2 + 1] = ((address + (set8 >> 3) * 256) << 8) | (1 << (set8 & 7));
  });
};

export const writeTables = (
  memory: ArrayBuffer,
  layout: FilledLayout,
  automaton: LiteralAutomaton,
  { anchors, ruleOf }: PrefilterRules,
): void => {
  new Uint8Array(memory, CLASS_MAP, 256).set(automaton.classOf);
  for (const [guard, address] of layout.guards) writeGuard(memory, address, guard);
  writeProbeSets(memory, layout.probeSets);
  writeRows(memory, layout, automaton);
  writeOutputs(memory, layout, automaton);
  anchors.forEach((anchor, index) => {
    writeAnchor(memory, layout, anchor, index, ruleOf[index] ?? 0);
  });
};

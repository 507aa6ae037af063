/** The prefilter's loops with their memory filled: tables once, texts before every go. */
import { buildLiteralAutomaton } from './literal-automaton.js';
import {
  CHUNK_BYTES,
  ITEM_LIMIT,
  layOut,
  MARGIN_BYTES,
  OVERRUN_BYTES,
  type PrefilterLayout,
  type PrefilterRules,
  RECORD_LIMIT,
  RECORD_WORDS,
  writeTables,
} from './prefilter-memory.js';
import { fixedMemory, instantiate, type WasmModule } from './web-assembly.js';

/** What `wasm/prefilter.as.ts` exports. */
export interface Loops {
  findHits(
    text: number,
    quarter: number,
    steps: number,
    root: number,
    hits: number,
    room: number,
    counts: number,
  ): void;
  findRunHits(
    from: number,
    end: number,
    openBefore: number,
    openBehind: number,
    least: number,
    root: number,
    hits: number,
  ): number;
  startChecking(): void;
  hitsChecked(): number;
  takeOverBudget(): number;
  checkHits(
    hits: number,
    count: number,
    ownStart: number,
    ownEnd: number,
    items: number,
    itemCount: number,
    openBefore: number,
    openBehind: number,
    rowBytes: number,
    outputs: number,
    anchors: number,
    budget: number,
    records: number,
    recordLimit: number,
  ): number;
}

export interface Machine {
  readonly loops: Loops;
  readonly layout: PrefilterLayout;
  readonly bytes: Uint8Array;
  readonly items: Uint32Array;
  readonly work: Uint32Array;
  readonly counts: Uint32Array;
  readonly records: Uint32Array;
}

/** What lies in the memory for one go: the text that is looked at, and the texts it belongs to. */
export interface Go {
  readonly from: number;
  readonly length: number;
  /** Index of the first text; the item table holds the bounds of this one and those after it. */
  readonly firstText: number;
  readonly texts: number;
  /** Offset in its text of the first item's first byte. */
  readonly skipped: number;
  readonly openBefore: boolean;
  readonly openBehind: boolean;
}

/** @throws RangeError when the rules need more memory than the tables have */
export const openMachine = (module: WasmModule, rules: PrefilterRules): Machine => {
  const literals = rules.anchors.flatMap((anchor, index) =>
    anchor.literals.map((literal) => ({ anchor: index, literal, inRuns: anchor.inRuns })),
  );
  const automaton = buildLiteralAutomaton(literals);
  const layout = layOut(automaton, rules);
  const memory = fixedMemory(layout.pages);
  writeTables(memory.buffer, layout, automaton, rules);
  return {
    // The file is built from the source beside this one; the thread's self-test calls every one of these.
    loops: instantiate(module, memory) as Loops,
    layout,
    bytes: new Uint8Array(memory.buffer),
    items: new Uint32Array(memory.buffer, layout.items, ITEM_LIMIT * 2),
    work: new Uint32Array(memory.buffer, layout.work, rules.rules),
    counts: new Uint32Array(memory.buffer, layout.counts, 4),
    records: new Uint32Array(memory.buffer, layout.records, RECORD_LIMIT * RECORD_WORDS),
  };
};

/** Lays as many texts from `firstText` on side by side as there is room for; at least one, which must fit. */
export const packTexts = (machine: Machine, texts: readonly Uint8Array[], firstText: number): Go => {
  const from = machine.layout.text;
  let at = from;
  let count = 0;
  for (let text = texts[firstText]; text !== undefined; text = texts[firstText + count]) {
    if (count === ITEM_LIMIT || at + text.length > from + CHUNK_BYTES) break;
    machine.bytes.set(text, at);
    machine.items[count * 2] = at;
    at += text.length;
    machine.items[count * 2 + 1] = at;
    count += 1;
  }
  machine.bytes.fill(0, at, at + OVERRUN_BYTES);
  return { from, length: at - from, firstText, texts: count, skipped: 0, openBefore: false, openBehind: false };
};

/** Lays the part of a large text from `offset` on, with what is before and behind it. */
export const loadPart = (machine: Machine, text: Uint8Array, index: number, offset: number): Go => {
  const skipped = Math.max(0, offset - MARGIN_BYTES);
  const end = Math.min(text.length, offset + CHUNK_BYTES);
  const behind = Math.min(text.length, end + MARGIN_BYTES);
  const base = machine.layout.text;
  machine.bytes.set(text.subarray(skipped, behind), base);
  const memoryEnd = base + behind - skipped;
  machine.bytes.fill(0, memoryEnd, memoryEnd + OVERRUN_BYTES);
  machine.items[0] = base;
  machine.items[1] = memoryEnd;
  return {
    ...{ from: base + offset - skipped, length: end - offset, firstText: index, texts: 1, skipped },
    ...{ openBefore: skipped > 0, openBehind: behind < text.length },
  };
};

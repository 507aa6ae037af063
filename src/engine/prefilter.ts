/**
 * Finds, in one pass over many texts, the places worth a closer look: (text, anchor, literal start). It may name a place
 * for nothing and never leaves one out. A rule whose places cost too much on some text is named instead ("flooded") and
 * has to be searched over the whole text, which keeps the worst case linear.
 *
 * Small texts are laid side by side; a large one is looked at in parts, each with some text of its neighbours.
 */
import { buildLiteralAutomaton } from './literal-automaton.js';
import { LONGEST_LITERAL } from './pattern/find-literals.js';
import { LEAST_RUN_BYTES } from './pattern/run-bytes.js';
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

/** Told what was found, in no order. */
export interface PlaceSink {
  place(text: number, anchor: number, literalStart: number): void;
  flooded(text: number, rule: number): void;
}

export interface Prefilter {
  findPlaces(texts: readonly Uint8Array[], sink: PlaceSink): void;
}

/** What `wasm/prefilter.as.ts` exports. */
interface Loops {
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

interface Machine {
  readonly loops: Loops;
  readonly layout: PrefilterLayout;
  readonly bytes: Uint8Array;
  readonly items: Uint32Array;
  readonly work: Uint32Array;
  readonly counts: Uint32Array;
  readonly records: Uint32Array;
}

/** What lies in the memory for one go: the text that is looked at, and the texts it belongs to. */
interface Go {
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

/** Work a rule may cost on a text: some bytes looked at per byte, and enough for a short text. */
const BUDGET_PER_BYTE = 16;
const BUDGET_LEAST = 64 * 1024;

const openMachine = (module: WasmModule, rules: PrefilterRules): Machine => {
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
const packTexts = (machine: Machine, texts: readonly Uint8Array[], firstText: number): Go => {
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
const loadPart = (machine: Machine, text: Uint8Array, index: number, offset: number): Go => {
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

const budgetOf = (go: Go): number => go.length * BUDGET_PER_BYTE + BUDGET_LEAST;

/** Hits that lie in memory, and the range in which their literals must start. */
interface Hits {
  readonly address: number;
  readonly count: number;
  readonly ownStart: number;
  readonly ownEnd: number;
}

/** Judges hits and hands on what passes. */
const checkHits = (machine: Machine, go: Go, hits: Hits, sink: PlaceSink): void => {
  const { layout, loops, records, items } = machine;
  loops.startChecking();
  while (loops.hitsChecked() < hits.count) {
    const written = loops.checkHits(
      hits.address,
      hits.count,
      hits.ownStart,
      hits.ownEnd,
      layout.items,
      go.texts,
      go.openBefore ? 1 : 0,
      go.openBehind ? 1 : 0,
      layout.rowBytes,
      layout.outputs,
      layout.anchors,
      budgetOf(go),
      layout.records,
      RECORD_LIMIT,
    );
    for (let at = 0; at < written * RECORD_WORDS; at += RECORD_WORDS) {
      const item = records[at] ?? 0;
      const offset = (records[at + 2] ?? 0) - (items[item * 2] ?? 0) + go.skipped;
      sink.place(go.firstText + item, records[at + 1] ?? 0, offset);
    }
  }
};

const reportFlooded = (machine: Machine, go: Go, sink: PlaceSink): void => {
  const budget = budgetOf(go);
  machine.work.forEach((spent, rule) => {
    if (spent <= budget) return;
    for (let item = 0; item < go.texts; item += 1) sink.flooded(go.firstText + item, rule);
  });
};

/** Literals of the whole text, four places at once. */
const lookAtText = (machine: Machine, go: Go, sink: PlaceSink): void => {
  const { layout, loops, counts } = machine;
  const { from, length } = go;
  const quarter = Math.ceil(length / 4);
  const steps = quarter + LONGEST_LITERAL - 1;
  loops.findHits(from, quarter, steps, layout.textRoot, layout.hits, layout.roomBytes, layout.counts);
  for (let stream = 0; stream < 4; stream += 1) {
    const address = layout.hits + stream * layout.roomBytes;
    const ownEnd = from + Math.min(length, (stream + 1) * quarter);
    checkHits(machine, go, { address, count: counts[stream] ?? 0, ownStart: from, ownEnd }, sink);
  }
};

/** Literals that stand in runs only. */
const lookAtRuns = (machine: Machine, go: Go, sink: PlaceSink): void => {
  const { layout, loops, items } = machine;
  const begin = items[0] ?? 0;
  const end = items[go.texts * 2 - 1] ?? 0;
  const open = [go.openBefore ? 1 : 0, go.openBehind ? 1 : 0] as const;
  const count = loops.findRunHits(begin, end, ...open, LEAST_RUN_BYTES, layout.runRoot, layout.hits);
  const own = { ownStart: go.from, ownEnd: go.from + go.length };
  checkHits(machine, go, { address: layout.hits, count, ...own }, sink);
};

const look = (machine: Machine, go: Go, sink: PlaceSink): void => {
  machine.work.fill(0);
  lookAtText(machine, go, sink);
  lookAtRuns(machine, go, sink);
  if (machine.loops.takeOverBudget() !== 0) reportFlooded(machine, go, sink);
};

/**
 * @param module the compiled `prefilter.wasm`
 * @throws RangeError when the rules need more memory than the tables have
 */
export const openPrefilter = (module: WasmModule, rules: PrefilterRules): Prefilter => {
  const machine = openMachine(module, rules);
  return {
    findPlaces: (texts, sink) => {
      let index = 0;
      for (let text = texts[index]; text !== undefined; text = texts[index]) {
        if (text.length <= CHUNK_BYTES) {
          const go = packTexts(machine, texts, index);
          look(machine, go, sink);
          index += go.texts;
          continue;
        }
        for (let offset = 0; offset < text.length; offset += CHUNK_BYTES) {
          look(machine, loadPart(machine, text, index, offset), sink);
        }
        index += 1;
      }
    },
  };
};

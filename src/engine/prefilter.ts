/**
 * Finds, in one pass over many texts, the places worth a closer look: (text, anchor, literal start). It may name a place
 * for nothing and never leaves one out. A rule whose places cost too much on some text is named instead ("flooded") and
 * has to be searched over the whole text, which keeps the worst case linear.
 *
 * Small texts are laid side by side; a large one is looked at in parts, each with some text of its neighbours.
 */
import { LONGEST_LITERAL } from './pattern/find-literals.js';
import { LEAST_RUN_BYTES } from './pattern/run-bytes.js';
import { type Go, loadPart, type Machine, openMachine, packTexts } from './prefilter-machine.js';
import { CHUNK_BYTES, type PrefilterRules, RECORD_LIMIT, RECORD_WORDS } from './prefilter-memory.js';
import type { WasmModule } from './web-assembly.js';

/** Told what was found, in no order. */
export interface PlaceSink {
  place(text: number, anchor: number, literalStart: number): void;
  flooded(text: number, rule: number): void;
}

export interface Prefilter {
  /** `goOn` is called before each look at up to 256 KiB; what it throws ends the search. */
  findPlaces(texts: readonly Uint8Array[], sink: PlaceSink, goOn: () => void): void;
}

/** Work a rule may cost on a text: some bytes looked at per byte, and enough for a short text. */
const BUDGET_PER_BYTE = 16;
const BUDGET_LEAST = 64 * 1024;

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
    findPlaces: (texts, sink, goOn) => {
      let index = 0;
      for (let text = texts[index]; text !== undefined; text = texts[index]) {
        if (text.length <= CHUNK_BYTES) {
          goOn();
          const go = packTexts(machine, texts, index);
          look(machine, go, sink);
          index += go.texts;
          continue;
        }
        for (let offset = 0; offset < text.length; offset += CHUNK_BYTES) {
          goOn();
          look(machine, loadPart(machine, text, index, offset), sink);
        }
        index += 1;
      }
    },
  };
};

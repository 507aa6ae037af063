/**
 * The first look at a text through `wasm/candidates.as.ts`. One small memory of fixed size a thread: a text is copied
 * through it in parts, so its size does not matter; short texts are not worth the way and are read in plain code.
 */
import { type Candidates, type FindCandidates, FORMS_BEFORE, findCandidates, TRIGGER_FORMS } from './candidates.js';
import { LEAST_RUN_BYTES } from './encoded-runs.js';

/** What the module exports for this. */
export interface CandidateExports {
  findCandidates(text: number, size: number, base: number, runStart: number, triggers: number, runs: number): number;
  triggersFound(): number;
  runsFound(): number;
}

const PAGE_BYTES = 64 * 1024;
/** Bytes of text in one call. */
const PART_BYTES = 64 * 1024;
const BLOCK_BYTES = 16;
const FORMS_AT = 1024;
const FORMS_BEFORE_AT = 1280;
const TEXT_AT = 2048;
const TRIGGERS_AT = TEXT_AT + PART_BYTES + BLOCK_BYTES;
/** Every byte may be a trigger, every 17th may end a run. */
const RUNS_AT = TRIGGERS_AT + 4 * PART_BYTES;
const MEMORY_BYTES = RUNS_AT + 8 * Math.ceil(PART_BYTES / LEAST_RUN_BYTES);

/** 64 KiB pages of memory that the module must be given. */
export const CANDIDATE_PAGES = Math.ceil(MEMORY_BYTES / PAGE_BYTES);

/** Shorter texts are read in plain code. */
const LEAST_TEXT_BYTES = 256;

/** A list that grows by parts; most texts need one part and no copy but the cut. */
class NumberList {
  #numbers = new Int32Array(0);
  #length = 0;

  append(more: Int32Array): void {
    if (more.length === 0) return;
    if (this.#length === 0) {
      this.#numbers = more.slice();
    } else {
      if (this.#length + more.length > this.#numbers.length) {
        const grown = new Int32Array(Math.max(this.#numbers.length * 2, this.#length + more.length));
        grown.set(this.#numbers.subarray(0, this.#length));
        this.#numbers = grown;
      }
      this.#numbers.set(more, this.#length);
    }
    this.#length += more.length;
  }

  whole(): Int32Array {
    return this.#numbers.subarray(0, this.#length);
  }
}

/**
 * @param exports of the module, instantiated with `memory` (`CANDIDATE_PAGES` pages) as its own
 * @returns a finder for one thread; it is not re-entrant within a call, and each call's lists are the caller's
 */
export const candidatesThroughWasm = (
  exports: CandidateExports,
  memory: { readonly buffer: ArrayBuffer },
): FindCandidates => {
  const bytes = new Uint8Array(memory.buffer);
  const words = new Int32Array(memory.buffer);
  bytes.set(TRIGGER_FORMS, FORMS_AT);
  bytes.set(FORMS_BEFORE, FORMS_BEFORE_AT);
  return (text): Candidates => {
    if (text.length < LEAST_TEXT_BYTES) return findCandidates(text);
    const triggers = new NumberList();
    const runs = new NumberList();
    let runStart = 0;
    for (let base = 0; base < text.length; base += PART_BYTES) {
      // One byte more than the part: what follows its last byte decides about that byte.
      const part = text.subarray(base, base + PART_BYTES + 1);
      const size = Math.min(PART_BYTES, Math.ceil(part.length / BLOCK_BYTES) * BLOCK_BYTES);
      bytes.set(part, TEXT_AT);
      bytes.fill(0, TEXT_AT + part.length, TEXT_AT + Math.max(part.length, size + 1));
      runStart = exports.findCandidates(TEXT_AT, size, base, runStart, TRIGGERS_AT, RUNS_AT);
      triggers.append(words.subarray(TRIGGERS_AT / 4, TRIGGERS_AT / 4 + exports.triggersFound()));
      runs.append(words.subarray(RUNS_AT / 4, RUNS_AT / 4 + 2 * exports.runsFound()));
    }
    const last = text.length - runStart >= LEAST_RUN_BYTES ? Int32Array.of(runStart, text.length) : new Int32Array(0);
    runs.append(last);
    return { triggers: triggers.whole(), runs: runs.whole() };
  };
};

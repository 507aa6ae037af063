/**
 * The first look at a text through `wasm/candidates.as.ts`. One small memory of fixed size a thread: a text is copied
 * through it in parts, so its size does not matter; short texts are not worth the way and are read in plain code.
 */
import { HEX_VALUES } from './byte-tables.js';
import {
  type Candidates,
  type FindCandidates,
  FORMS_BEFORE,
  findCandidates,
  mayHoldText,
  TRIGGER_FORMS,
} from './candidates.js';
import { LEAST_RUN_BYTES } from './encoded-runs.js';
import { JOIN_BYTES } from './may-join.js';
import { SUFFIX } from './wrapped-runs.js';

/** What the module exports for this. */
export interface CandidateExports {
  findCandidates(text: number, size: number, base: number, runStart: number, triggers: number, runs: number): number;
  triggersFound(): number;
  runsFound(): number;
  /** Each not 0 where the last call saw some. */
  hasZeroBytes(): number;
  hasEscapeBytes(): number;
  hasHighBytes(): number;
  hasDashes(): number;
}

const PAGE_BYTES = 64 * 1024;
/** Bytes of text in one call. */
const PART_BYTES = 64 * 1024;
const BLOCK_BYTES = 16;
const FORMS_AT = 1024;
const FORMS_BEFORE_AT = 1280;
const SUFFIX_AT = 1536;
const HEX_AT = 1792;
const TEXT_AT = 2048;
/** Bytes behind a part that decide about its last ones; what is longer is settled in plain code. */
const BEHIND_BYTES = JOIN_BYTES;
const TRIGGERS_AT = TEXT_AT + PART_BYTES + BEHIND_BYTES + BLOCK_BYTES;
/** Every byte may be a trigger, every 17th may end a run. */
const RUNS_AT = TRIGGERS_AT + 4 * PART_BYTES;
const MEMORY_BYTES = RUNS_AT + 8 * Math.ceil(PART_BYTES / LEAST_RUN_BYTES);

/** 64 KiB pages of memory that the module must be given. */
export const CANDIDATE_PAGES = Math.ceil(MEMORY_BYTES / PAGE_BYTES);

/** Shorter texts are read in plain code. */
const LEAST_TEXT_BYTES = 128;

const NONE = new Int32Array(0);

/** One list of those of all parts. */
const concat = (parts: readonly Int32Array[]): Int32Array => {
  const [first = NONE, second] = parts;
  if (second === undefined) return first;
  const whole = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** What is learnt of a text on the way. */
interface TextFacts {
  isAscii: boolean;
  holdsZero: boolean;
  holdsEscapeByte: boolean;
  holdsDashes: boolean;
}

/** Stands behind a text, so that its last run ends: a byte that means nothing to any form. */
const FILLER = 1;

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
  bytes.set(SUFFIX, SUFFIX_AT);
  bytes.set(HEX_VALUES, HEX_AT);
  /** Reads one part; answers where the run that reaches out of it starts. */
  const readPart = (text: Uint8Array, base: number, runStart: number, facts: TextFacts): number => {
    const part = text.subarray(base, base + PART_BYTES + BEHIND_BYTES);
    // One block of filler behind the text ends its last run.
    const size = Math.min(PART_BYTES, (Math.floor(part.length / BLOCK_BYTES) + 1) * BLOCK_BYTES);
    bytes.set(part, TEXT_AT);
    bytes.fill(FILLER, TEXT_AT + part.length, TEXT_AT + size + BEHIND_BYTES);
    const openRun = exports.findCandidates(TEXT_AT, size, base, runStart, TRIGGERS_AT, RUNS_AT);
    if (exports.hasHighBytes() !== 0) facts.isAscii = false;
    if (exports.hasZeroBytes() !== 0) facts.holdsZero = true;
    if (exports.hasEscapeBytes() !== 0) facts.holdsEscapeByte = true;
    if (exports.hasDashes() !== 0) facts.holdsDashes = true;
    return openRun;
  };
  const list = (address: number, count: number): Int32Array =>
    count === 0 ? NONE : words.slice(address / 4, address / 4 + count);
  const triggersOfPart = (): Int32Array => list(TRIGGERS_AT, exports.triggersFound());
  const runsOfPart = (text: Uint8Array, base: number): Int32Array => {
    const found = list(RUNS_AT, 2 * exports.runsFound());
    const [start = base, end = base] = found;
    // A run from before this part was not seen whole.
    return start < base && !mayHoldText(text, start, end) ? found.subarray(2) : found;
  };
  return (text): Candidates => {
    if (text.length < LEAST_TEXT_BYTES) return findCandidates(text);
    const triggers: Int32Array[] = [];
    const runs: Int32Array[] = [];
    const facts: TextFacts = { isAscii: true, holdsZero: false, holdsEscapeByte: false, holdsDashes: false };
    let runStart = 0;
    for (let base = 0; base < text.length; base += PART_BYTES) {
      runStart = readPart(text, base, runStart, facts);
      triggers.push(triggersOfPart());
      runs.push(runsOfPart(text, base));
    }
    if (text.length - runStart >= LEAST_RUN_BYTES && mayHoldText(text, runStart, text.length)) {
      runs.push(Int32Array.of(runStart, text.length));
    }
    return { triggers: concat(triggers), runs: concat(runs), ...facts };
  };
};

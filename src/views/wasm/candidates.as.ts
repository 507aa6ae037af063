/**
 * The first look at a text in AssemblyScript, 16 bytes at a time: which bytes may begin an escape, and where runs of
 * encoded characters start and end. What counts is said in `../candidates.ts`; the two nibbles of a byte, each looked up
 * in a table of 16, classify it without a branch. Memory is laid out by `../wasm-candidates.ts`.
 */

/** Where the tables of 256 forms lie: of a byte, and of the byte behind it. */
const FORMS: usize = 1024;
const FORMS_BEFORE: usize = 1280;
const LEAST_RUN_BYTES: u32 = 16;

/** Numbers of entries that the last call wrote. */
let triggerCount: u32 = 0;
let runCount: u32 = 0;

export function triggersFound(): u32 {
  return triggerCount;
}

export function runsFound(): u32 {
  return runCount;
}

/**
 * Reads `size` bytes at `text` (a multiple of 16; the byte behind them is read too) that stand at `base` in the whole text.
 *
 * @param runStart where the run that reaches into these bytes starts in the whole text; `base` where none does
 * @param triggers gets a word for each trigger, @param runs two for each run that ends here
 * @returns where the run that reaches out of these bytes starts
 */
export function findCandidates(text: usize, size: u32, base: u32, runStart: u32, triggers: usize, runs: usize): u32 {
  // Triggers: 0x22 0x25 0x26 0x27 (bit 1), 0x3d (bit 2), 0x5c (bit 4), 0x60 (bit 8).
  const triggerLow = i8x16(8, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 4, 2, 0, 0);
  const triggerHigh = i8x16(0, 0, 1, 2, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  // Encoded: + - / (bit 1), digits (bit 2), 0x41-0x4f and 0x61-0x6f (bit 4), 0x50-0x5a and 0x5f (bit 8), 0x70-0x7a (bit 16).
  const encodedLow = i8x16(26, 30, 30, 30, 30, 30, 30, 30, 30, 30, 28, 5, 4, 5, 4, 13);
  const encodedHigh = i8x16(0, 0, 1, 2, 4, 8, 4, 16, 0, 0, 0, 0, 0, 0, 0, 0);
  const nibble = i8x16.splat(15);
  const zero = i8x16.splat(0);
  let trigger = triggers;
  let run = runs;
  for (let at: u32 = 0; at < size; at += 16) {
    const bytes = v128.load(text + at);
    const low = v128.and(bytes, nibble);
    const high = i8x16.shr_u(bytes, 4);
    let found: u32 = i8x16.bitmask(
      i8x16.ne(v128.and(i8x16.swizzle(triggerLow, low), i8x16.swizzle(triggerHigh, high)), zero),
    );
    while (found !== 0) {
      const offset = at + ctz(found);
      found &= found - 1;
      const address = text + offset;
      if (load<u8>(FORMS + load<u8>(address)) & load<u8>(FORMS_BEFORE + load<u8>(address, 1))) {
        store<u32>(trigger, base + offset);
        trigger += 4;
      }
    }
    const gaps: u32 = i8x16.bitmask(
      i8x16.eq(v128.and(i8x16.swizzle(encodedLow, low), i8x16.swizzle(encodedHigh, high)), zero),
    );
    if (gaps !== 0) {
      const end = base + at + ctz(gaps);
      if (end >= runStart + LEAST_RUN_BYTES) {
        store<u32>(run, runStart);
        store<u32>(run, end, 4);
        run += 8;
      }
      runStart = base + at + 32 - clz(gaps);
    }
  }
  triggerCount = <u32>(trigger - triggers) >> 2;
  runCount = <u32>(run - runs) >> 3;
  return runStart;
}

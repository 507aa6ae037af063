/**
 * The first look at a text in AssemblyScript, 16 bytes at a time: which bytes may begin an escape, and which runs of
 * encoded characters may hold text. What counts is said in `../candidates.ts`; the two nibbles of a byte, each looked up
 * in a table of 16, classify it without a branch, and 16 groups of base64 are decoded at once, one at each place.
 * Memory is laid out by `../wasm-candidates.ts`.
 */

/** Where the tables of 256 forms lie: of a byte, and of the byte behind it. */
const FORMS: usize = 1024;
const FORMS_BEFORE: usize = 1280;
/** Bytes that may stand between a line's encoded text and its end (1), and the values of hex digits (255 for others). */
const SUFFIX: usize = 1536;
const HEX: usize = 1792;
const LEAST_RUN_BYTES: u32 = 16;
const LEAST_LINE_BYTES: u32 = 40;
const MOST_SUFFIX_BYTES: u32 = 3;
const LEAST_HEX_BYTES: u32 = 24;
const LEAST_HEX_PAIRS: u32 = 12;
const QUOTE: u32 = 16;
const JOIN_BLANKS: u32 = 49;

/** Numbers of entries that the last call wrote. */
let triggerCount: u32 = 0;
let runCount: u32 = 0;

/** What the last call saw: zero bytes, bytes that begin a terminal's code, bytes outside ASCII, four dashes in a row. */
let sawZero: bool = false;
let sawEscape: bool = false;
let sawHigh: bool = false;
let sawDashes: bool = false;
/** Which of the last three bytes of the call before were dashes; a text's parts are read one after the other. */
let dashesBefore: u32 = 0;

export function triggersFound(): u32 {
  return triggerCount;
}

export function runsFound(): u32 {
  return runCount;
}

export function hasZeroBytes(): bool {
  return sawZero;
}

export function hasEscapeBytes(): bool {
  return sawEscape;
}

export function hasDashes(): bool {
  return sawDashes;
}

export function hasHighBytes(): bool {
  return sawHigh;
}

/** 6-bit values of characters of the base64 alphabet; anything of other characters. */
function base64Values(bytes: v128): v128 {
  const shift = i8x16.swizzle(i8x16(0, 0, 16, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(bytes, 4));
  const plus = v128.and(i8x16.eq(bytes, i8x16.splat(0x2b)), i8x16.splat(3));
  const minus = v128.and(i8x16.eq(bytes, i8x16.splat(0x2d)), i8x16.splat(1));
  const lowLine = v128.and(i8x16.eq(bytes, i8x16.splat(0x5f)), i8x16.splat(33));
  return i8x16.add(i8x16.add(bytes, shift), v128.or(v128.or(plus, minus), lowLine));
}

/** Which bytes are printable ASCII, tab or line ends. */
function isText(bytes: v128): v128 {
  const printable = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x20)), i8x16.splat(0x5f));
  return v128.or(printable, i8x16.swizzle(i8x16(0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0, -1, 0, 0), bytes));
}

/** Places of 16 at which a group of base64 decodes to text, from the values there and those behind. */
function textGroups(here: v128, behind: v128): u32 {
  const v1 = i8x16.shuffle(here, behind, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  const v2 = i8x16.shuffle(here, behind, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
  const v3 = i8x16.shuffle(here, behind, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
  const a = v128.or(i8x16.shl(here, 2), i8x16.shr_u(v1, 4));
  const b = v128.or(i8x16.shl(v1, 4), i8x16.shr_u(v2, 2));
  const c = v128.or(i8x16.shl(v2, 6), v3);
  const zero = i8x16.splat(0);
  const zeroB = i8x16.eq(b, zero);
  const textB = isText(b);
  const plain = v128.and(v128.and(isText(a), isText(c)), v128.or(textB, zeroB));
  const wide = v128.and(v128.and(i8x16.eq(a, zero), i8x16.eq(c, zero)), textB);
  return i8x16.bitmask(v128.or(plain, wide));
}

/** Whether four groups that follow each other in the run decode to text. */
function holdsBase64Text(start: usize, end: usize): bool {
  let here = base64Values(v128.load(start));
  let before: u32 = 0;
  for (let at = start; at + 4 <= end; at += 16) {
    const behind = base64Values(v128.load(at, 16));
    let groups = textGroups(here, behind);
    const places = <u32>(end - 3 - at);
    if (places < 16) groups &= ((<u32>1) << places) - 1;
    const both = before | (groups << 16);
    if (both & (both >> 4) & (both >> 8) & (both >> 12)) return true;
    before = groups;
    here = behind;
  }
  return false;
}

function isHex(at: usize): bool {
  return load<u8>(HEX + load<u8>(at)) !== 255;
}

/** Whether twelve pairs that follow each other decode to text, in either alignment. */
function holdsTextPairs(start: usize, end: usize): bool {
  for (let from = start; from <= start + 1; from += 1) {
    let count: u32 = 0;
    for (let at = from; at + 2 <= end; at += 2) {
      const code: u32 = ((<u32>load<u8>(HEX + load<u8>(at))) << 4) | load<u8>(HEX + load<u8>(at, 1));
      const isPair = (code >= 0x20 && code < 0x7f) || code === 0 || code === 9 || code === 10 || code === 13;
      count = isPair ? count + 1 : 0;
      if (count === LEAST_HEX_PAIRS) return true;
    }
  }
  return false;
}

/** Whether some run of hex digits in the run decodes to text. */
function holdsHexText(start: usize, end: usize): bool {
  let from = start;
  while (from + LEAST_HEX_BYTES <= end) {
    let at = from + LEAST_HEX_BYTES - 1;
    while (at >= from && isHex(at)) at -= 1;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let stop = from + LEAST_HEX_BYTES;
    while (stop < end && isHex(stop)) stop += 1;
    if (holdsTextPairs(from, stop)) return true;
    from = stop;
  }
  return false;
}

/** Bytes of the line end at `at`; 0 where there is none. */
function lineEndBytes(at: usize): usize {
  const code = load<u8>(at);
  if (code === 10) return 1;
  return code === 13 && load<u8>(at, 1) === 10 ? 2 : 0;
}

function mayWrap(start: usize, end: usize): bool {
  if (end - start < LEAST_LINE_BYTES) return false;
  let at = end;
  while (at < end + MOST_SUFFIX_BYTES && load<u8>(SUFFIX + load<u8>(at)) === 1) at += 1;
  return lineEndBytes(at) !== 0;
}

function isLetter(code: u32): bool {
  return (code | 32) - 97 < 26;
}

function skipBlanks(at: usize): usize {
  let on = at;
  while (on < at + JOIN_BLANKS && (load<u8>(on) === 32 || load<u8>(on) === 9)) on += 1;
  return on;
}

function skipGap(at: usize): usize {
  const on = skipBlanks(at);
  const size = lineEndBytes(on);
  if (size === 0) return on;
  const next = on + size;
  const sign = load<u8>(next);
  return skipBlanks(sign === 43 || sign === 45 ? next + 1 : next);
}

function skipOperator(at: usize): usize {
  const first: u32 = load<u8>(at);
  if (first === 92) return lineEndBytes(at + 1) !== 0 ? at + 1 : at;
  const isDouble = first === 124 || first === 60;
  if (!isDouble && first !== 43 && first !== 46 && first !== 38 && first !== 126 && first !== 94) return at;
  return <u32>load<u8>(at, 1) === first ? at + 2 : isDouble ? at : at + 1;
}

/** See `../may-join.ts`. */
function mayJoin(at: usize): bool {
  const quote: u32 = load<u8>(at);
  if (<u32>load<u8>(at, 1) === quote) {
    const behind: u32 = load<u8>(at, 2);
    return isLetter(behind) || behind - 48 < 10;
  }
  const on = skipGap(skipOperator(skipGap(at + 1)));
  const code: u32 = load<u8>(on);
  return code === quote || (isLetter(code) && <u32>load<u8>(on, 1) === quote);
}

/** Whether to name a run; one that starts before these bytes is not seen whole and always named. */
function mayHoldText(text: usize, base: u32, runStart: u32, runEnd: u32): bool {
  if (runStart < base) return true;
  const start = text + (runStart - base);
  const end = text + (runEnd - base);
  return mayWrap(start, end) || holdsBase64Text(start, end) || holdsHexText(start, end);
}

/**
 * Reads `size` bytes at `text` (a multiple of 16; some behind them are read too) that stand at `base` in the whole text.
 *
 * @param runStart where the run that reaches into these bytes starts in the whole text; `base` where none does
 * @param triggers gets a word for each trigger, @param runs two for each run that ends here and may hold text, and for
 *   one that reaches into these bytes
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
  const escapeByte = i8x16.splat(0x1b);
  const dash = i8x16.splat(0x2d);
  let seen = zero;
  let zeros = zero;
  let escapes = zero;
  let dashes = base === 0 ? 0 : dashesBefore;
  let fourDashes: u32 = 0;
  let trigger = triggers;
  let run = runs;
  for (let at: u32 = 0; at < size; at += 16) {
    const bytes = v128.load(text + at);
    seen = v128.or(seen, bytes);
    zeros = v128.or(zeros, i8x16.eq(bytes, zero));
    escapes = v128.or(escapes, i8x16.eq(bytes, escapeByte));
    const dashMask: u32 = i8x16.bitmask(i8x16.eq(bytes, dash));
    if ((dashMask | dashes) !== 0) {
      const both = dashes | (dashMask << 3);
      fourDashes |= both & (both >> 1) & (both >> 2) & (both >> 3);
      dashes = both >> 16;
    }
    const low = v128.and(bytes, nibble);
    const high = i8x16.shr_u(bytes, 4);
    let found: u32 = i8x16.bitmask(
      i8x16.ne(v128.and(i8x16.swizzle(triggerLow, low), i8x16.swizzle(triggerHigh, high)), zero),
    );
    while (found !== 0) {
      const offset = at + ctz(found);
      found &= found - 1;
      const address = text + offset;
      const form: u32 = load<u8>(FORMS + load<u8>(address)) & load<u8>(FORMS_BEFORE + load<u8>(address, 1));
      if (form !== 0 && (form !== QUOTE || mayJoin(address))) {
        store<u32>(trigger, base + offset);
        trigger += 4;
      }
    }
    const gaps: u32 = i8x16.bitmask(
      i8x16.eq(v128.and(i8x16.swizzle(encodedLow, low), i8x16.swizzle(encodedHigh, high)), zero),
    );
    if (gaps !== 0) {
      const end = base + at + ctz(gaps);
      if (end >= runStart + LEAST_RUN_BYTES && mayHoldText(text, base, runStart, end)) {
        store<u32>(run, runStart);
        store<u32>(run, end, 4);
        run += 8;
      }
      runStart = base + at + 32 - clz(gaps);
    }
  }
  sawHigh = i8x16.bitmask(seen) !== 0;
  sawZero = v128.any_true(zeros);
  sawEscape = v128.any_true(escapes);
  sawDashes = fourDashes !== 0;
  dashesBefore = dashes;
  triggerCount = <u32>(trigger - triggers) >> 2;
  runCount = <u32>(run - runs) >> 3;
  return runStart;
}

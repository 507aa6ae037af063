/**
 * The inner loops of the scanner in AssemblyScript: one automaton over every literal of every rule, four places of the
 * text at once, then the guards of the anchors that were hit. Nothing is allocated; the caller lays out the memory
 * (src/engine/prefilter-memory.ts) and reads the records.
 *
 * Rows of the automaton that report a literal lie at or above `REPORTING`, all others below, so that one bit of the row's
 * own address says whether there is anything to note.
 */

const CLASS_MAP: usize = 1024;
const REPORTING: u32 = 0x1000000;

/** Bytes of a hit: address behind its last byte, row. */
const HIT_BYTES: u32 = 8;
/** Bytes of a record: item, anchor, address of the literal's start. */
const RECORD_BYTES: u32 = 12;

/** Bytes of an anchor; see `writeAnchor`. */
const ANCHOR_BYTES: u32 = 64;
const PROBES_AT: u32 = 20;

/** Notes that a literal ends before `at`; the word at `cursor` is where the next hit of the stream is written to. */
function noteHit(cursor: u32, at: u32, row: u32): void {
  const hit: u32 = load<u32>(cursor);
  store<u32>(hit, at);
  store<u32>(hit, row, 4);
  store<u32>(cursor, hit + HIT_BYTES);
}

/**
 * Runs four streams over `[text + i * quarter, text + i * quarter + steps)`. Hits of stream i are written from
 * `hits + i * room` on; their numbers are written to `counts` (four words). Where the next hit goes is kept in memory:
 * hits are rare, and the loop needs every register it can get.
 */
export function findHits(text: u32, quarter: u32, steps: u32, root: u32, hits: u32, room: u32, counts: u32): void {
  for (let stream: u32 = 0; stream < 4; stream += 1) store<u32>(counts + (stream << 2), hits + stream * room);
  let row0 = root;
  let row1 = root;
  let row2 = root;
  let row3 = root;
  let at0 = text;
  let at1 = text + quarter;
  let at2 = at1 + quarter;
  let at3 = at2 + quarter;
  const end = text + steps;
  while (at0 < end) {
    row0 = load<u32>(row0 + ((<u32>load<u8>(load<u8>(at0), CLASS_MAP)) << 2));
    row1 = load<u32>(row1 + ((<u32>load<u8>(load<u8>(at1), CLASS_MAP)) << 2));
    row2 = load<u32>(row2 + ((<u32>load<u8>(load<u8>(at2), CLASS_MAP)) << 2));
    row3 = load<u32>(row3 + ((<u32>load<u8>(load<u8>(at3), CLASS_MAP)) << 2));
    at0 += 1;
    at1 += 1;
    at2 += 1;
    at3 += 1;
    if ((row0 | row1 | row2 | row3) & REPORTING) {
      if (row0 & REPORTING) noteHit(counts, at0, row0);
      if (row1 & REPORTING) noteHit(counts + 4, at1, row1);
      if (row2 & REPORTING) noteHit(counts + 8, at2, row2);
      if (row3 & REPORTING) noteHit(counts + 12, at3, row3);
    }
  }
  for (let stream: u32 = 0; stream < 4; stream += 1) {
    const cursor = counts + (stream << 2);
    store<u32>(cursor, (load<u32>(cursor) - hits - stream * room) / HIT_BYTES);
  }
}

/** Which bytes stand in runs (letters, digits, `_`, `-`, `.`), by low and by high half of the byte, a bit a row of 16. */
function runMask(at: u32): u32 {
  const bytes = v128.load(at);
  const low = i8x16.swizzle(
    i8x16(26, 30, 30, 30, 30, 30, 30, 30, 30, 30, 28, 4, 4, 5, 5, 12),
    v128.and(bytes, i8x16.splat(15)),
  );
  const high = i8x16.swizzle(i8x16(0, 0, 1, 2, 4, 8, 4, 16, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(bytes, 4));
  return <u32>i8x16.bitmask(i8x16.ne(v128.and(low, high), i8x16.splat(0)));
}

/** Where the run ends that `at` stands in. */
function runEnd(at: u32, end: u32): u32 {
  while (at < end) {
    const gap = ~runMask(at) & 0xffff;
    if (gap) {
      const stop = at + ctz(gap);
      return stop < end ? stop : end;
    }
    at += 16;
  }
  return end;
}

/** Where the run begins that `at` stands in; at most 16 bytes are looked at, more were seen as a block before. */
function runStart(at: u32, least: u32): u32 {
  const gap = ~(runMask(at - 16) << 16);
  const start = at - clz(gap);
  return start > least ? start : least;
}

/**
 * Reads every run of `[from, end)` that has `least` bytes, or may have because the text goes on where it is cut, from the
 * run's root. A run of 15 bytes fills one aligned half of a block of 16 at least.
 * @returns the number of hits
 */
export function findRunHits(
  from: u32,
  end: u32,
  openBefore: bool,
  openBehind: bool,
  least: u32,
  root: u32,
  hits: u32,
): u32 {
  let hit = hits;
  let at = from;
  while (at < end) {
    const mask = runMask(at);
    let block: u32 = 0;
    if ((mask & 0xff) === 0xff) block = at;
    else if (mask >> 8 === 0xff) block = at + 8;
    else {
      at += 16;
      continue;
    }
    if (block >= end) break;
    const start = runStart(block, from);
    const stop = runEnd(block, end);
    const isCut = (openBefore && start === from) || (openBehind && stop === end);
    if (stop - start >= least || isCut) {
      let row = root;
      for (let byte = start; byte < stop; ) {
        row = load<u32>(row + ((<u32>load<u8>(load<u8>(byte), CLASS_MAP)) << 2));
        byte += 1;
        if (row & REPORTING) {
          store<u32>(hit, byte);
          store<u32>(hit, row, 4);
          hit += HIT_BYTES;
        }
      }
    }
    at = stop;
  }
  return (hit - hits) / HIT_BYTES;
}

/** Where a walk ended; the bytes it took are what it costs. */
let walked: u32 = 0;

/** A walk that has no bound of its own is given up after so many bytes and answers "maybe". */
const LONGEST_WALK: u32 = 1024;

/**
 * Walks a guard over `[at, end)`. A guard in memory: number of classes, 256 class numbers, then rows of 16-bit states that
 * are multiplied by the number of classes already. 0 is "no", the number of classes is "maybe".
 * @returns whether "maybe", with `open` the answer where the text ends first
 */
function walkForward(guard: u32, at: u32, end: u32, open: bool): bool {
  const classes: u32 = load<u32>(guard);
  const map = guard + 4;
  const next = map + 256;
  let state = classes << 1;
  const from = at;
  while (at < end) {
    state = load<u16>(next + ((state + load<u8>(map + load<u8>(at))) << 1));
    at += 1;
    if (state <= classes) {
      walked = at - from;
      return state !== 0;
    }
  }
  walked = at - from;
  return open;
}

function walkBackward(guard: u32, at: u32, least: u32, open: bool): bool {
  const classes: u32 = load<u32>(guard);
  const map = guard + 4;
  const next = map + 256;
  let state = classes << 1;
  const from = at;
  while (at > least) {
    at -= 1;
    state = load<u16>(next + ((state + load<u8>(map + load<u8>(at))) << 1));
    if (state <= classes) {
      walked = from - at;
      return state !== 0;
    }
  }
  walked = from - at;
  return open;
}

/** Whether every probed byte is right; one beyond the text is wrong, unless the text goes on or may begin there. */
function probesPass(anchor: u32, start: u32, first: u32, end: u32, openBefore: bool, openBehind: bool): bool {
  let probe = anchor + PROBES_AT;
  const last = probe + ((<u32>load<u8>(anchor, 16)) << 3);
  while (probe < last) {
    const word: i32 = load<i32>(probe);
    const at = start + (word >> 1);
    if (at >= first && at < end) {
      const table: u32 = load<u32>(probe, 4);
      if (!(load<u8>((table >> 8) + load<u8>(at)) & table)) return false;
    } else if (word < 0) {
      if (!openBefore && !(word & 1)) return false;
    } else if (!openBehind) {
      return false;
    }
    probe += 8;
  }
  return true;
}

/** Where `checkHits` goes on after it ran out of room. */
let resumeHit: u32 = 0;
let resumeOutput: u32 = 0;
let resumeItem: u32 = 0;

/** Set once a rule has cost more than its budget. */
let overBudget: bool = false;

export function startChecking(): void {
  resumeHit = 0;
  resumeOutput = 0;
  resumeItem = 0;
}

/** Hits that were checked; less than all of them means that the records are full. */
export function hitsChecked(): u32 {
  return resumeHit;
}

/** Whether a rule has cost more than its budget since the last call. */
export function takeOverBudget(): bool {
  const was = overBudget;
  overBudget = false;
  return was;
}

/**
 * Judges the hits of one stream: which item they stand in, whether the guards let them pass.
 *
 * @param ownStart literals that start before it were found by another stream, @param ownEnd so were those from here on
 * @param items start and end address of each item, in rising order
 * @param openBefore the first item goes on before its start address, @param openBehind the last one behind its end
 * @param outputs by reporting row: first and behind-last word of its anchors, each `anchor << 8 | literal length`
 * @param budget work a rule may cost before its anchors are no longer looked at
 * @returns the number of records written
 */
export function checkHits(
  hits: u32,
  count: u32,
  ownStart: u32,
  ownEnd: u32,
  items: u32,
  itemCount: u32,
  openBefore: bool,
  openBehind: bool,
  rowBytes: u32,
  outputs: u32,
  anchors: u32,
  budget: u32,
  records: u32,
  recordLimit: u32,
): u32 {
  let record = records;
  const recordEnd = records + recordLimit * RECORD_BYTES;
  let item = resumeItem;
  for (let index = resumeHit; index < count; index += 1) {
    const hit = hits + index * HIT_BYTES;
    const behind: u32 = load<u32>(hit);
    const row: u32 = load<u32>(hit, 4);
    while (item < itemCount && load<u32>(items + (item << 3), 4) < behind) item += 1;
    if (item === itemCount) break;
    const itemStart: u32 = load<u32>(items + (item << 3));
    const itemEnd: u32 = load<u32>(items + (item << 3), 4);
    const slot = outputs + (((row - REPORTING) / rowBytes) << 3);
    let output: u32 = load<u32>(slot);
    const outputEnd: u32 = load<u32>(slot, 4);
    if (index === resumeHit && resumeOutput !== 0) output = resumeOutput;
    for (; output < outputEnd; output += 4) {
      const entry: u32 = load<u32>(output);
      const start = behind - (entry & 0xff);
      if (start < itemStart || start < ownStart || start >= ownEnd) continue;
      const anchor = anchors + (entry >> 8) * ANCHOR_BYTES;
      const isOpenBefore = openBefore && item === 0;
      const isOpenBehind = openBehind && item === itemCount - 1;
      if (!probesPass(anchor, start, itemStart, itemEnd, isOpenBefore, isOpenBehind)) continue;
      const work: u32 = load<u32>(anchor, 12);
      const spent: u32 = load<u32>(work);
      if (spent > budget) continue;
      const forward: u32 = load<u32>(anchor);
      const second: u32 = load<u32>(anchor, 4);
      const backward: u32 = load<u32>(anchor, 8);
      let cost: u32 = 1;
      let passes = true;
      // No match reaches beyond `most` bytes; one without a bound is followed for a while only.
      const most = load<u32>(anchor, 16) >> 8;
      const bound = most ? most : LONGEST_WALK;
      const isNear = itemEnd - start <= bound;
      const end = isNear ? itemEnd : start + bound;
      const open = isNear ? isOpenBehind : most === 0;
      if (forward) {
        passes = walkForward(forward, start, end, open);
        cost += walked;
      }
      if (passes && backward) {
        passes = walkBackward(backward, start, itemStart, isOpenBefore);
        cost += walked;
      }
      if (passes && second) {
        passes = walkForward(second, start, end, open);
        cost += walked;
      }
      store<u32>(work, spent + cost);
      if (spent + cost > budget) overBudget = true;
      if (!passes) continue;
      if (record === recordEnd) {
        resumeHit = index;
        resumeOutput = output;
        resumeItem = item;
        return recordLimit;
      }
      store<u32>(record, item);
      store<u32>(record, entry >> 8, 4);
      store<u32>(record, start, 8);
      record += RECORD_BYTES;
    }
  }
  resumeHit = count;
  resumeOutput = 0;
  return (record - records) / RECORD_BYTES;
}

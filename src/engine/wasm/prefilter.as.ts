/**
 * The inner loops of the scanner in AssemblyScript: one automaton over every literal of every rule, four places of the
 * text at once, then the guards of the anchors that were hit. Nothing is allocated; the caller lays out the memory
 * (src/engine/prefilter-memory.ts) and reads the records.
 *
 * Rows of the automaton that report a literal lie at or above `REPORTING`, all others below, so that one bit of the row's
 * own address says whether there is anything to note.
 */

const CLASS_MAP: usize = 1024;
const REPORTING: u32 = 0x800000;

/** Bytes of a hit: address behind its last byte, row. */
const HIT_BYTES: u32 = 8;
/** Bytes of a record: item, anchor, address of the literal's start. */
const RECORD_BYTES: u32 = 12;

/** Bytes of an anchor; see `writeAnchor`. */
const ANCHOR_BYTES: u32 = 64;
const PROBES_AT: u32 = 20;

/**
 * Runs four streams over `[text + i * quarter, text + i * quarter + steps)`. Hits of stream i are written from
 * `hits + i * room` on; their numbers are written to `counts` (four words).
 */
export function findHits(text: u32, quarter: u32, steps: u32, root: u32, hits: u32, room: u32, counts: u32): void {
  let row0 = root;
  let row1 = root;
  let row2 = root;
  let row3 = root;
  let at0 = text;
  let at1 = text + quarter;
  let at2 = at1 + quarter;
  let at3 = at2 + quarter;
  let hit0 = hits;
  let hit1 = hit0 + room;
  let hit2 = hit1 + room;
  let hit3 = hit2 + room;
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
      if (row0 & REPORTING) {
        store<u32>(hit0, at0);
        store<u32>(hit0, row0, 4);
        hit0 += HIT_BYTES;
      }
      if (row1 & REPORTING) {
        store<u32>(hit1, at1);
        store<u32>(hit1, row1, 4);
        hit1 += HIT_BYTES;
      }
      if (row2 & REPORTING) {
        store<u32>(hit2, at2);
        store<u32>(hit2, row2, 4);
        hit2 += HIT_BYTES;
      }
      if (row3 & REPORTING) {
        store<u32>(hit3, at3);
        store<u32>(hit3, row3, 4);
        hit3 += HIT_BYTES;
      }
    }
  }
  store<u32>(counts, (hit0 - hits) / HIT_BYTES);
  store<u32>(counts, (hit1 - hits - room) / HIT_BYTES, 4);
  store<u32>(counts, (hit2 - hits - 2 * room) / HIT_BYTES, 8);
  store<u32>(counts, (hit3 - hits - 3 * room) / HIT_BYTES, 12);
}

/** Where a walk ended; the bytes it took are what it costs. */
let walked: u32 = 0;

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
  const last = probe + (load<u32>(anchor, 16) << 3);
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
 * @param ownEnd literals that start here or later belong to the next stream
 * @param items start and end address of each item, in rising order
 * @param openBefore the first item goes on before its start address, @param openBehind the last one behind its end
 * @param outputs by reporting row: first and behind-last word of its anchors, each `anchor << 8 | literal length`
 * @param budget work a rule may cost before its anchors are no longer looked at
 * @returns the number of records written
 */
export function checkHits(
  hits: u32,
  count: u32,
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
      if (start < itemStart || start >= ownEnd) continue;
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
      if (forward) {
        passes = walkForward(forward, start, itemEnd, isOpenBehind);
        cost += walked;
      }
      if (passes && backward) {
        passes = walkBackward(backward, start, itemStart, isOpenBefore);
        cost += walked;
      }
      if (passes && second) {
        passes = walkForward(second, start, itemEnd, isOpenBehind);
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

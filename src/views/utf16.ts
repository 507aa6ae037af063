/**
 * UTF-16 inside a text: mostly ASCII with a zero byte beside each character, as decoded base64 of PowerShell holds it,
 * with or without a byte order mark. Characters beyond ASCII between two such stretches are decoded with them.
 */
import { type BlockWriter, blockEdits } from './block-edits.js';
import { byteAt, IS_TEXT, TEXT_CLASSES } from './byte-tables.js';
import type { TakeEdits } from './edits.js';
import { addCodePoint } from './layer-draft.js';
import type { Stretch } from './text-stretches.js';

/** 8 characters in a row are no accident. */
const LEAST_UNITS = 8;
const BRIDGED_BYTES = 64;

/** First of the two bytes of a unit that is the zero of an ASCII character: 0 in big-endian, 1 in little-endian. */
type ZeroSide = 0 | 1;

const isAsciiUnit = (bytes: Uint8Array, at: number, zero: ZeroSide): boolean =>
  bytes[at + zero] === 0 && TEXT_CLASSES[bytes[at + 1 - zero] ?? 0] === IS_TEXT;

const stretchAt = (bytes: Uint8Array, at: number, zero: ZeroSide): number => {
  let end = at;
  while (end + 2 <= bytes.length && isAsciiUnit(bytes, end, zero)) end += 2;
  return end;
};

const findStretches = (bytes: Uint8Array, zero: ZeroSide): Stretch[] => {
  const found: Stretch[] = [];
  for (let at = Math.max(0, bytes.indexOf(0)); at < bytes.length; ) {
    if (bytes[at] !== 0) {
      at += 1;
      continue;
    }
    const start = at - zero;
    const end = start < 0 ? start : stretchAt(bytes, start, zero);
    if (end - start >= LEAST_UNITS * 2) {
      const last = found.at(-1);
      const joins = last !== undefined && start - last.end <= BRIDGED_BYTES && (start - last.end) % 2 === 0;
      if (joins) found[found.length - 1] = { start: last.start, end };
      else found.push({ start, end });
    }
    at = Math.max(at + 1, end);
  }
  return found;
};

const unitAt = (bytes: Uint8Array, at: number, zero: ZeroSide): number =>
  (byteAt(bytes, at + 1 - zero) & 255) | ((byteAt(bytes, at + zero) & 255) << 8);

const writer =
  (zero: ZeroSide): BlockWriter =>
  (draft, outer, block) => {
    for (let at = block.start; at + 2 <= block.end; ) {
      const unit = unitAt(outer, at, zero);
      const low = unit >= 0xd800 && unit <= 0xdbff && at + 4 <= block.end ? unitAt(outer, at + 2, zero) : 0;
      const paired = low >= 0xdc00 && low <= 0xdfff;
      const end = at + (paired ? 4 : 2);
      addCodePoint(draft, paired ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit, at, end);
      at = end;
    }
  };

/** @returns `false` where `take` wants no more */
export const takeUtf16 = (bytes: Uint8Array, take: TakeEdits): boolean =>
  ([1, 0] as const).every((zero) =>
    blockEdits('utf-16', findStretches(bytes, zero), writer(zero), 'edit').every((edits) => take(edits)),
  );

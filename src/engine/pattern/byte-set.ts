/** Sets of byte values as 256 bits: what one step of a pattern accepts. Values are made once and never changed after. */

export type ByteSet = Uint32Array;

export const emptySet = (): ByteSet => new Uint32Array(8);

export const addByte = (set: ByteSet, byte: number): void => {
  set[byte >> 5] = (set[byte >> 5] ?? 0) | (1 << (byte & 31));
};

export const hasByte = (set: ByteSet, byte: number): boolean => (((set[byte >> 5] ?? 0) >>> (byte & 31)) & 1) === 1;

export const addRange = (set: ByteSet, from: number, to: number): void => {
  for (let byte = from; byte <= to; byte += 1) addByte(set, byte);
};

export const setOf = (...ranges: readonly (readonly [number, number])[]): ByteSet => {
  const set = emptySet();
  for (const [from, to] of ranges) addRange(set, from, to);
  return set;
};

export const bytesOf = (set: ByteSet): number[] => {
  const bytes: number[] = [];
  for (let byte = 0; byte < 256; byte += 1) if (hasByte(set, byte)) bytes.push(byte);
  return bytes;
};

export const isEmpty = (set: ByteSet): boolean => set.every((word) => word === 0);

/** Every byte of `from` that is not in `without`. */
export const subtract = (from: ByteSet, without: ByteSet): ByteSet =>
  from.map((word, at) => word & ~(without[at] ?? 0));

export const intersect = (a: ByteSet, b: ByteSet): ByteSet => a.map((word, at) => word & (b[at] ?? 0));

export const union = (a: ByteSet, b: ByteSet): ByteSet => a.map((word, at) => word | (b[at] ?? 0));

/** `A` to `Z` as `a` to `z`, other bytes as they are. */
export const foldByte = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);

export const foldSet = (set: ByteSet): ByteSet => {
  const folded = emptySet();
  for (const byte of bytesOf(set)) addByte(folded, foldByte(byte));
  return folded;
};

/** A text that is equal for equal sets. */
export const keyOf = (set: ByteSet): string => set.join();

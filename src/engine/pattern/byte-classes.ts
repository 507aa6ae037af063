/** Byte values that every set of a pattern treats alike are one class: tables have a column a class, not one a byte. */
import { type ByteSet, keyOf } from './byte-set.js';

export interface ByteClasses {
  /** By byte: its class, below `classes`. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** By class: one byte of it. */
  readonly byteOf: readonly number[];
}

export const classesOf = (sets: readonly ByteSet[]): ByteClasses => {
  const distinct = new Map<string, ByteSet>();
  for (const set of sets) distinct.set(keyOf(set), set);
  let classOf: number[] = new Array<number>(256).fill(0);
  let classes = 1;
  for (const set of distinct.values()) {
    const numbers = new Map<number, number>();
    const split: number[] = [];
    for (let byte = 0; byte < 256; byte += 1) {
      const inside = ((set[byte >> 5] ?? 0) >>> (byte & 31)) & 1;
      const key = (classOf[byte] ?? 0) * 2 + inside;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      split.push(number);
    }
    classOf = split;
    classes = numbers.size;
  }
  const byteOf: number[] = [];
  classOf.forEach((number, byte) => {
    byteOf[number] ??= byte;
  });
  return { classOf: Uint8Array.from(classOf), classes, byteOf };
};

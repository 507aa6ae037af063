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
  const classOf = new Uint8Array(256);
  let classes = 1;
  for (const set of distinct.values()) {
    // By class: its number plus one among bytes outside and inside the set.
    const numbers = new Uint16Array(2 * classes);
    let next = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const inside = ((set[byte >> 5] ?? 0) >>> (byte & 31)) & 1;
      const key = (classOf[byte] ?? 0) * 2 + inside;
      if (numbers[key] === 0) {
        next += 1;
        numbers[key] = next;
      }
      classOf[byte] = (numbers[key] ?? 0) - 1;
    }
    classes = next;
  }
  const byteOf: number[] = [];
  classOf.forEach((number, byte) => {
    byteOf[number] ??= byte;
  });
  return { classOf, classes, byteOf };
};

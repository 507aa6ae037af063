/** Items of a repository as several bundles, in their order, so that a repository of any size is measured in fixed memory. */
import { MOST_ITEMS } from '../../contract/item-bounds.js';

export interface SizedItem<T> {
  readonly item: T;
  readonly bytes: number;
}

/** Raw bytes of one bundle of a benchmark; a larger item is alone in its own. */
const PART_BYTES = 32 * 1024 * 1024;

/** No part is empty; every item is in exactly one. */
export const splitParts = <T>(items: readonly SizedItem<T>[], partBytes = PART_BYTES): T[][] => {
  const parts: T[][] = [];
  let part: T[] = [];
  let size = 0;
  for (const { item, bytes } of items) {
    if (part.length > 0 && (size + bytes > partBytes || part.length >= MOST_ITEMS)) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(item);
    size += bytes;
  }
  return part.length > 0 ? [...parts, part] : parts;
};

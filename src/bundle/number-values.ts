/**
 * Numbers for the values of kinds `token:*` and `pem:*`: 1, 2, ... by first appearance in the framed bytes. The list of
 * texts is in that order already: each name before its text, items in list order, the system message after them.
 */
import { type BundleText, isNumbered } from './bundle-text.js';

/** Number of a value by its id; a value without a number is not in the map. */
export type ValueNumbers = ReadonlyMap<number, number>;

export const numberValues = (texts: readonly Pick<BundleText, 'spans'>[]): ValueNumbers => {
  const numbers = new Map<number, number>();
  for (const text of texts) {
    for (const span of text.spans) {
      if (isNumbered(span.kind) && !numbers.has(span.valueId)) numbers.set(span.valueId, numbers.size + 1);
    }
  }
  return numbers;
};

/** Bytes as items of one size, and items as the batches in which they travel to a thread. */

/** `bytes` as items of `itemBytes`, the last one shorter. Views, no copies. */
export const itemsOf = (bytes: Buffer, itemBytes: number): Buffer[] => {
  const items: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += itemBytes) items.push(bytes.subarray(at, at + itemBytes));
  return items;
};

/** Items as the pipeline sends them: together up to `batchBytes`, a larger one alone. */
export const batchesOf = (items: readonly Buffer[], batchBytes: number): Buffer[][] => {
  const batches: Buffer[][] = [];
  let last: Buffer[] = [];
  let size = 0;
  for (const item of items) {
    if (size > 0 && size + item.length > batchBytes) {
      batches.push(last);
      last = [];
      size = 0;
    }
    last.push(item);
    size += item.length;
  }
  return [...batches, last];
};

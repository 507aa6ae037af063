/**
 * Gives equal values one id. Lives as long as one assembly, in memory only; nothing here is ever written.
 */

export interface ValueTable {
  /** The same id for the same bytes, counted from 0 in order of first asking. */
  idOf(value: Uint8Array): number;
}

export const createValueTable = (): ValueTable => {
  const ids = new Map<string, number>();
  return {
    idOf: (value) => {
      const key = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
      const known = ids.get(key);
      if (known !== undefined) return known;
      ids.set(key, ids.size);
      return ids.size - 1;
    },
  };
};

/**
 * Gives equal values one id. Lives as long as one assembly, in memory only; nothing here is ever written.
 */

export interface ValueTable {
  /** The same id for the same bytes, counted from 0 in order of first asking. */
  idOf(value: Uint8Array): number;
  /** The bytes behind an id; the caller's own array, not a copy. */
  valueOf(id: number): Uint8Array | undefined;
}

export const createValueTable = (): ValueTable => {
  const ids = new Map<string, number>();
  const values: Uint8Array[] = [];
  return {
    idOf: (value) => {
      const key = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
      const known = ids.get(key);
      if (known !== undefined) return known;
      const id = values.length;
      ids.set(key, id);
      values.push(value);
      return id;
    },
    valueOf: (id) => values[id],
  };
};

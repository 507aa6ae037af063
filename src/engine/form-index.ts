/**
 * Finds many byte strings at once, in steps. All forms have at least eight bytes, so a look at three bytes of the text
 * mostly says that no form's last twelve can end within the next ten, and those are passed (the method of Wu and Manber).
 * Work is linear in the text whatever the forms: each place costs one table read, and one hash where a form may end.
 */
import { Buffer } from 'node:buffer';

/** Bytes looked at in one step. */
const BLOCK_BYTES = 3;
/** The end of a form that decides the steps; shorter where a form is shorter. */
const WINDOW_BYTES = 12;
/** Forms below this are not searched for. */
export const LEAST_FORM_BYTES = 8;

const HASH_FACTOR = 0x9e3779b1;
const LEAST_TABLE_BITS = 12;
const MOST_TABLE_BITS = 20;
/** Table places per entry: most of a text's blocks should find an empty one. */
const SPARSENESS = 16;

export interface FormIndex {
  readonly windowBytes: number;
  readonly shifts: Uint8Array;
  readonly tableShift: number;
  /** Lengths of the forms whose last bytes have this hash, longest first. Few different lists are held by many. */
  readonly lengths: ReadonlyMap<number, readonly number[]>;
  /** By their bytes, one character a byte: what the caller knows the form by. */
  readonly forms: ReadonlyMap<string, number>;
}

/** Called with the number of the longest form that ends at `end`. */
export type OnForm = (form: number, start: number, end: number) => void;

const windowHash = (bytes: Uint8Array, end: number, windowBytes: number): number => {
  let hash = windowBytes;
  for (let at = end - windowBytes; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR);
  // Fits a small integer, which a map holds without memory of its own.
  return hash >>> 2;
};

const blockHash = (bytes: Uint8Array, at: number): number =>
  Math.imul(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0), HASH_FACTOR);

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');

/** Lists of lengths by hash, equal lists one. */
const lengthLists = () => {
  const lists = new Map<string, readonly number[]>();
  const byHash = new Map<number, readonly number[]>();
  const add = (hash: number, length: number): void => {
    const known = byHash.get(hash) ?? [];
    if (known.includes(length)) return;
    const more = [...known, length].sort((a, b) => b - a);
    const key = more.join();
    const list = lists.get(key) ?? more;
    lists.set(key, list);
    byHash.set(hash, list);
  };
  return { byHash, add };
};

/** @param forms at least one, of at least `LEAST_FORM_BYTES` characters, one a byte; by each the number it is told by */
export const indexForms = (forms: ReadonlyMap<string, number>): FormIndex => {
  let shortest = WINDOW_BYTES;
  for (const form of forms.keys()) shortest = Math.min(shortest, form.length);
  const windowBytes = Math.max(BLOCK_BYTES, shortest);
  const most = windowBytes - BLOCK_BYTES + 1;
  const wantedBits = Math.ceil(Math.log2(forms.size * most * SPARSENESS + 1));
  const tableShift = 32 - Math.min(MOST_TABLE_BITS, Math.max(LEAST_TABLE_BITS, wantedBits));
  const shifts = new Uint8Array(2 ** (32 - tableShift)).fill(most);
  const { byHash, add } = lengthLists();
  for (const text of forms.keys()) {
    const form = Buffer.from(text, 'latin1');
    const start = form.length - windowBytes;
    for (let at = 0; at < most; at += 1) {
      const place = blockHash(form, start + at) >>> tableShift;
      shifts[place] = Math.min(shifts[place] ?? 0, most - 1 - at);
    }
    add(windowHash(form, form.length, windowBytes), form.length);
  }
  return { windowBytes, shifts, tableShift, lengths: byHash, forms };
};

const reportAt = (
  text: Uint8Array,
  end: number,
  lengths: readonly number[],
  forms: FormIndex['forms'],
  onForm: OnForm,
): void => {
  for (const length of lengths) {
    if (length > end) continue;
    const form = forms.get(latin1(text, end - length, end));
    if (form === undefined) continue;
    onForm(form, end - length, end);
    return;
  }
};

/** Calls `onForm` for each place where a form ends, in ascending order of the ends. */
export const searchForms = (text: Uint8Array, index: FormIndex, onForm: OnForm): void => {
  const { windowBytes, shifts, tableShift, lengths, forms } = index;
  const size = text.length;
  for (let at = windowBytes - BLOCK_BYTES; at + BLOCK_BYTES <= size; ) {
    const shift = shifts[blockHash(text, at) >>> tableShift] ?? 0;
    if (shift > 0) {
      at += shift;
      continue;
    }
    const end = at + BLOCK_BYTES;
    const own = lengths.get(windowHash(text, end, windowBytes));
    if (own !== undefined) reportAt(text, end, own, forms, onForm);
    at += 1;
  }
};

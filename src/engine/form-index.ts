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

/** Forms whose last bytes are the same, by their text; lengths longest first. */
interface Bucket {
  readonly lengths: number[];
  readonly forms: Map<string, number>;
}

export interface FormIndex {
  readonly windowBytes: number;
  readonly shifts: Uint8Array;
  readonly tableShift: number;
  readonly buckets: ReadonlyMap<number, Bucket>;
}

/** Called with the index of the longest form that ends at `end`. */
export type OnForm = (form: number, start: number, end: number) => void;

const windowHash = (bytes: Uint8Array, end: number, windowBytes: number): number => {
  let hash = windowBytes;
  for (let at = end - windowBytes; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR);
  return hash;
};

const blockHash = (bytes: Uint8Array, at: number): number =>
  Math.imul(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0), HASH_FACTOR);

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');

/** @param forms at least one, each of at least `LEAST_FORM_BYTES`; equal forms keep the first's index */
export const indexForms = (forms: readonly Uint8Array[]): FormIndex => {
  const shortest = forms.reduce((least, form) => Math.min(least, form.length), WINDOW_BYTES);
  const windowBytes = Math.max(BLOCK_BYTES, shortest);
  const most = windowBytes - BLOCK_BYTES + 1;
  const wantedBits = Math.ceil(Math.log2(forms.length * most * SPARSENESS + 1));
  const tableShift = 32 - Math.min(MOST_TABLE_BITS, Math.max(LEAST_TABLE_BITS, wantedBits));
  const shifts = new Uint8Array(2 ** (32 - tableShift)).fill(most);
  const buckets = new Map<number, Bucket>();
  for (const [index, form] of forms.entries()) {
    const start = form.length - windowBytes;
    for (let at = 0; at < most; at += 1) {
      const place = blockHash(form, start + at) >>> tableShift;
      shifts[place] = Math.min(shifts[place] ?? 0, most - 1 - at);
    }
    const hash = windowHash(form, form.length, windowBytes);
    const bucket = buckets.get(hash) ?? { lengths: [], forms: new Map<string, number>() };
    const text = latin1(form, 0, form.length);
    if (!bucket.forms.has(text)) bucket.forms.set(text, index);
    if (!bucket.lengths.includes(form.length)) bucket.lengths.push(form.length);
    buckets.set(hash, bucket);
  }
  for (const bucket of buckets.values()) bucket.lengths.sort((a, b) => b - a);
  return { windowBytes, shifts, tableShift, buckets };
};

const reportAt = (text: Uint8Array, end: number, bucket: Bucket, onForm: OnForm): void => {
  for (const length of bucket.lengths) {
    if (length > end) continue;
    const form = bucket.forms.get(latin1(text, end - length, end));
    if (form === undefined) continue;
    onForm(form, end - length, end);
    return;
  }
};

/** Calls `onForm` for each place where a form ends, in ascending order of the ends. */
export const searchForms = (text: Uint8Array, index: FormIndex, onForm: OnForm): void => {
  const { windowBytes, shifts, tableShift, buckets } = index;
  const size = text.length;
  for (let at = windowBytes - BLOCK_BYTES; at + BLOCK_BYTES <= size; ) {
    const shift = shifts[blockHash(text, at) >>> tableShift] ?? 0;
    if (shift > 0) {
      at += shift;
      continue;
    }
    const end = at + BLOCK_BYTES;
    const bucket = buckets.get(windowHash(text, end, windowBytes));
    if (bucket !== undefined) reportAt(text, end, bucket, onForm);
    at += 1;
  }
};

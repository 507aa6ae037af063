/**
 * Groups texts into messages for threads: texts that stand in the same shared buffer travel together up to a size that
 * makes a message worth its while; a large text travels alone. Nothing is copied, but a text that is read back from a
 * reading's document.
 */
import type { BundleText } from '../bundle/bundle-text.js';
import type { ScanInput } from '../contract/scan.js';
import type { Weighed } from './run-window.js';

/** A text with its place in the bundle's list of texts. */
export interface ListedText {
  readonly ref: number;
  readonly text: Pick<BundleText, 'item' | 'bytes'>;
}

export interface TextBatch extends Weighed {
  readonly buffer: SharedArrayBuffer;
  readonly inputs: readonly ScanInput[];
}

const BATCH_BYTES = 256 * 1024;

/** Empty texts hold nothing to look at and are in no batch. One is smaller than `mostBytes` where a caller wants them so. */
export function* batchTexts(texts: Iterable<ListedText>, mostBytes = BATCH_BYTES): Generator<TextBatch> {
  const limit = Math.min(BATCH_BYTES, mostBytes);
  let buffer: SharedArrayBuffer | null = null;
  let inputs: ScanInput[] = [];
  let bytes = 0;
  for (const { ref, text } of texts) {
    // Asked for once: a text that stands in a reading's document already makes its bytes anew.
    const { buffer: own, offset, length } = inSharedMemory(text.bytes);
    if (length === 0) continue;
    if (buffer !== null && (buffer !== own || bytes + length > limit)) {
      yield { buffer, inputs, bytes };
      inputs = [];
      bytes = 0;
    }
    buffer = own;
    inputs.push({ ref, offset, length });
    bytes += length;
  }
  if (buffer !== null && inputs.length > 0) yield { buffer, inputs, bytes };
}

const inSharedMemory = (bytes: Uint8Array) => {
  const { buffer, byteOffset: offset, byteLength: length } = bytes;
  if (buffer instanceof SharedArrayBuffer) return { buffer, offset, length };
  const copy = new SharedArrayBuffer(length);
  new Uint8Array(copy).set(bytes);
  return { buffer: copy, offset: 0, length };
};

/** Copies small arrays into one shared buffer; the results are views of it, in order. */
export const packShared = (arrays: readonly Uint8Array[]): readonly Uint8Array[] => {
  const buffer = new SharedArrayBuffer(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  return arrays.map((array) => {
    const view = new Uint8Array(buffer, at, array.length);
    view.set(array);
    at += array.length;
    return view;
  });
};

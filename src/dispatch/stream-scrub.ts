/**
 * Takes a credential out of an answer that passes through as it comes, without changing its length: a Content-Length stays
 * true, and an answer that holds none is the same bytes. Only the end of a read that may be the beginning of the value
 * waits for the next read.
 *
 * The forms are those an encoder gives a whole value. An answer that is read whole goes through `scrubber`, which also
 * knows mixed and stacked escapes.
 */
import { base64Cores, LEAST_SECRET_BYTES } from './scrub.js';

export interface StreamScrub {
  /** What may be passed on now; a view of the bytes given, or a copy with the value masked. */
  take(bytes: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
}

const MASK = '*'.charCodeAt(0);
const NOTHING = new Uint8Array();

export const streamScrubber = (secrets: readonly string[]): StreamScrub => {
  const forms = formsOf(secrets);
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  let held: Uint8Array = NOTHING;
  return {
    take: (bytes) => {
      if (forms.length === 0) return bytes;
      const seen = masked(held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]), forms);
      const keep = openEnd(seen, forms, longest);
      held = seen.subarray(seen.length - keep);
      return seen.subarray(0, seen.length - keep);
    },
    end: () => {
      const rest = held;
      held = NOTHING;
      return rest;
    },
  };
};

const formsOf = (secrets: readonly string[]): readonly Buffer[] => {
  const values = secrets.filter((secret) => Buffer.byteLength(secret) >= LEAST_SECRET_BYTES);
  const forms = values.flatMap((value) => {
    const hex = Buffer.from(value).toString('hex');
    const inJson = JSON.stringify(value).slice(1, -1);
    const inUrl = encodeURIComponent(value);
    return [value, inJson, inUrl, hex, hex.toUpperCase(), ...base64Cores(value)];
  });
  return [...new Set(forms)].map((form) => Buffer.from(form));
};

const masked = (bytes: Buffer, forms: readonly Buffer[]): Buffer => {
  for (const form of forms) {
    for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + form.length)) {
      bytes.fill(MASK, at, at + form.length);
    }
  }
  return bytes;
};

/** Bytes at the end that could be the beginning of a form. */
const openEnd = (bytes: Buffer, forms: readonly Buffer[], longest: number): number => {
  for (let length = Math.min(longest - 1, bytes.length); length > 0; length -= 1) {
    const from = bytes.length - length;
    if (forms.some((form) => form.length > length && form[0] === bytes[from] && isStart(form, bytes, from))) {
      return length;
    }
  }
  return 0;
};

const isStart = (form: Buffer, bytes: Buffer, from: number): boolean =>
  bytes.compare(form, 0, bytes.length - from, from) === 0;

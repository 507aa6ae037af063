/**
 * Files that travel as base64 in a string: where the payload stands, and its text where it is text. A text is decoded,
 * scanned and written back blanked; anything else (an image, a PDF, an archive) cannot be scanned and is opaque.
 */
import { isUtf8 } from 'node:buffer';
import type { Span } from '../contract/finding.js';
import type { TextMap } from './text-map.js';

/** What a string is taken for by its place. */
export type PayloadHint =
  /** A place for file data: base64 of any length is a payload. */
  | 'file'
  /** A place for text: only a data URL is a payload. */
  | 'text'
  /** Nobody knows: long base64 is a payload. */
  | 'unknown';

export interface Payload extends Span {
  /** `null` where it is no text. */
  readonly text: Uint8Array | null;
}

const DATA_URL = /^data:[^,]{0,512};base64,/i;
/** A shorter string in an unknown place is an id, a hash or a word, and is scanned as such. */
const LEAST_UNKNOWN = 1024;
const OUTSIDE_WRAPPED = /[^A-Za-z0-9+/_\-\s]/;
const OUTSIDE_BARE = /[^A-Za-z0-9+/_-]/;

/** The payload in a decoded string, in its bytes; `null` for a string that is none. */
export const payloadIn = (bytes: Uint8Array, hint: PayloadHint): Payload | null => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = DATA_URL.exec(buffer.toString('latin1', 0, 640))?.[0];
  if (head === undefined && (hint === 'text' || buffer.length < (hint === 'file' ? 1 : LEAST_UNKNOWN))) return null;
  const start = head?.length ?? 0;
  if (start === buffer.length) return null;
  const written = buffer.toString('latin1', start);
  const digits = written.trimEnd().replace(/={1,2}$/, '');
  if ((hint === 'unknown' ? OUTSIDE_BARE : OUTSIDE_WRAPPED).test(digits)) {
    return head === undefined ? null : { start, end: buffer.length, text: null };
  }
  const decoded = Buffer.from(written, 'base64');
  return { start, end: buffer.length, text: isText(decoded) ? decoded : null };
};

const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0);

/** The text of a payload; `outer` is the map of the string it stands in. What is written back is the whole payload. */
export const payloadMap = (outer: TextMap, { start, end }: Span, text: Uint8Array): TextMap => {
  const written = Buffer.from(outer.bytes.subarray(start, end)).toString('latin1');
  const isEven = !/\s/.test(written);
  return {
    bytes: text,
    toSource: () => outer.toSource({ start, end }),
    toText: (span) => {
      const inner = outer.toText(span);
      if (!isEven) return { start: 0, end: text.length };
      const from = Math.floor(((inner.start - start) * 3) / 4);
      const to = Math.ceil(((inner.end - start) * 3) / 4);
      return { start: Math.min(from, text.length), end: Math.min(to, text.length) };
    },
  };
};

/** Base64 in the alphabet of what stood there. */
export const encodePayload = (text: Uint8Array, before: Uint8Array): string => {
  const written = Buffer.from(before).toString('latin1');
  const encoded = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return encoded.toString(/[-_]/.test(written) ? 'base64url' : 'base64');
};

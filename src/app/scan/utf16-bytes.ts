/**
 * UTF-16 with a byte order mark as the UTF-8 that is scanned, and the way back to the bytes it came from. Whatever is no
 * character (a lone surrogate, a last odd byte) counts as U+FFFD; its bytes stay what they are.
 */

import type { TakeShared } from './scan-source.js';

export type Utf16Order = 'little' | 'big';

export const MARK_BYTES = 2;
const REPLACEMENT = 0xfffd;

/** The byte order that a mark at the start says, or `null`. */
export const utf16Order = (bytes: Uint8Array): Utf16Order | null => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'big' : null;
};

const utf8Bytes = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

interface Reading {
  readonly code: number;
  /** Bytes of UTF-16 that it was read from. */
  readonly width: number;
}

const readAt = (view: DataView, at: number, order: Utf16Order): Reading => {
  if (at + 2 > view.byteLength) return { code: REPLACEMENT, width: 1 };
  const little = order === 'little';
  const unit = view.getUint16(at, little);
  if (unit < 0xd800 || unit > 0xdfff) return { code: unit, width: 2 };
  const next = at + 4 <= view.byteLength ? view.getUint16(at + 2, little) : 0;
  const isPair = unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
  return isPair
    ? { code: 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00), width: 4 }
    : { code: REPLACEMENT, width: 2 };
};

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** `bytes` with their mark; the text is without it, in memory that `take` gives. */
export const utf8OfUtf16 = (bytes: Uint8Array, order: Utf16Order, take: TakeShared): Uint8Array => {
  const view = viewOf(bytes);
  let size = 0;
  for (let at = MARK_BYTES; at < bytes.length; ) {
    const { code, width } = readAt(view, at, order);
    size += utf8Bytes(code);
    at += width;
  }
  const text = take(size);
  let put = 0;
  for (let at = MARK_BYTES; at < bytes.length; ) {
    const { code, width } = readAt(view, at, order);
    put = writeUtf8(text, put, code);
    at += width;
  }
  return text;
};

const writeUtf8 = (text: Uint8Array, at: number, code: number): number => {
  const length = utf8Bytes(code);
  if (length === 1) {
    text[at] = code;
    return at + 1;
  }
  text[at] = (length === 2 ? 0xc0 : length === 3 ? 0xe0 : 0xf0) | (code >> (6 * (length - 1)));
  for (let rest = 1; rest < length; rest += 1) text[at + rest] = 0x80 | ((code >> (6 * (length - 1 - rest))) & 0x3f);
  return at + length;
};

/** Gives the place in `bytes` of a place in their UTF-8; asked in ascending order, so that a file is walked once. */
export const utf16Places = (bytes: Uint8Array, order: Utf16Order): ((textOffset: number) => number) => {
  const view = viewOf(bytes);
  let at = MARK_BYTES;
  let text = 0;
  return (textOffset) => {
    while (text < textOffset && at < bytes.length) {
      const { code, width } = readAt(view, at, order);
      text += utf8Bytes(code);
      at += width;
    }
    return at;
  };
};

/** ASCII text in UTF-16. */
export const encodeUtf16 = (ascii: Uint8Array, order: Utf16Order): Uint8Array => {
  const encoded = new Uint8Array(ascii.length * 2);
  ascii.forEach((byte, index) => {
    encoded[index * 2 + (order === 'little' ? 0 : 1)] = byte;
  });
  return encoded;
};

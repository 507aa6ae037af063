/**
 * Bytes of any kind with their spans blanked: what stands outside the spans is the very bytes that were given, marks,
 * line ends and bytes that are no text included. UTF-16 with a mark is scanned as its text; the spans go back to it.
 */
import { blankedChunks } from '../../bundle/blank.js';
import type { TakeShared } from './scan-source.js';
import type { SettledText } from './settle-texts.js';
import { encodeUtf16, MARK_BYTES, type Utf16Order, utf8OfUtf16, utf16Order, utf16Places } from './utf16-bytes.js';

/** What is scanned of some bytes. */
export interface ScanText {
  /** Over shared memory. */
  readonly text: Uint8Array;
  /** Bytes before the text: a byte order mark. */
  readonly markBytes: number;
  /** `null` where the text is the bytes themselves. */
  readonly order: Utf16Order | null;
}

const takeFresh: TakeShared = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes));

const UTF8_MARK = [0xef, 0xbb, 0xbf] as const;

/** `bytes` stand in shared memory; `take` gives more of it where they have to be decoded. */
export const scanTextOf = (bytes: Uint8Array, take: TakeShared = takeFresh): ScanText => {
  const order = utf16Order(bytes);
  if (order !== null) return { text: utf8OfUtf16(bytes, order, take), markBytes: MARK_BYTES, order };
  const markBytes = UTF8_MARK.every((byte, at) => bytes[at] === byte) ? UTF8_MARK.length : 0;
  return { text: bytes.subarray(markBytes), markBytes, order };
};

/** Piece by piece, views of `bytes` but for the placeholders. `settled` is of the text of the same bytes. */
export function* blankBytes(
  bytes: Uint8Array,
  { markBytes, order }: ScanText,
  settled: Extract<SettledText, { ok: true }>,
): Generator<Uint8Array> {
  if (markBytes > 0) yield bytes.subarray(0, markBytes);
  const placeOf = order === null ? (at: number) => at + markBytes : utf16Places(bytes, order);
  let at = 0;
  for (const chunk of blankedChunks(settled.text, settled.numbers)) {
    if (chunk.span !== null) {
      at = chunk.span.end;
      yield order === null ? chunk.bytes : encodeUtf16(chunk.bytes, order);
      continue;
    }
    const start = placeOf(at);
    at += chunk.bytes.length;
    yield bytes.subarray(start, placeOf(at));
  }
}

/**
 * UTF-8 with a few bytes that are none. A truncated character is one U+FFFD, any other stray byte one each, as the
 * Encoding Standard's decoder does it, so what travels is what other tools show. NUL is treated as invalid too.
 */

const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;

/**
 * At `at`: the length of a whole character, or minus the length of the bytes that one U+FFFD stands for. Bounds of the
 * second byte are those of Unicode 15, table 3-7.
 */
const measureAt = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first === 0) return -1;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return -1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1];
  if (second === undefined || second < least || second > most) return -1;
  for (let next = 2; next < length; next += 1) {
    const byte = bytes[at + next];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return -next;
  }
  return length;
};

/** Bytes that are NUL or invalid; stops counting once over `enough`. */
export const measureInvalid = (bytes: Uint8Array, enough: number): number => {
  let invalid = 0;
  for (let at = 0; at < bytes.length && invalid <= enough; ) {
    const length = measureAt(bytes, at);
    if (length < 0) invalid -= length;
    at += Math.abs(length);
  }
  return invalid;
};

export const decodeLossyUtf8 = (bytes: Uint8Array): { readonly text: Uint8Array; readonly lossy: number } => {
  let lossy = 0;
  let size = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = measureAt(bytes, at);
    if (length < 0) lossy += 1;
    size += length < 0 ? REPLACEMENT.length : length;
    at += Math.abs(length);
  }
  const text = new Uint8Array(size);
  let put = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = measureAt(bytes, at);
    if (length < 0) {
      text.set(REPLACEMENT, put);
      put += REPLACEMENT.length;
    } else {
      for (let next = 0; next < length; next += 1) text[put + next] = bytes[at + next] ?? 0;
      put += length;
    }
    at += Math.abs(length);
  }
  return { text, lossy };
};

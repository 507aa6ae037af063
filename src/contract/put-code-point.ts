/** UTF-8 by hand, for texts in which most characters are decoded one by one: a native call for each is most of the work. */

/** Writes one code point and returns the place after it; the caller has room for four bytes. */
export const putCodePoint = (text: Uint8Array, at: number, code: number): number => {
  if (code < 0x80) {
    text[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    text[at] = 0xc0 | (code >> 6);
    text[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    text[at] = 0xe0 | (code >> 12);
    text[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    text[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  text[at] = 0xf0 | (code >> 18);
  text[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  text[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  text[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
};

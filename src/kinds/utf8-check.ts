/** Judges a stream of bytes as UTF-8, chunk by chunk, without decoding it: a character may stand in two chunks. */
import { isUtf8 } from 'node:buffer';

export interface Utf8Check {
  /** True while everything so far is UTF-8, but for a character that is still to be completed. */
  take(chunk: Uint8Array): boolean;
  /** True when nothing was left incomplete. */
  isWhole(): boolean;
}

/** Bytes of the character that a lead byte begins; 1 for what begins none, which the judgement itself will find. */
const lengthFrom = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1);

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Where the last character starts, when it goes on behind the end; else the end. */
const wholeEnd = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return lengthFrom(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

export const createUtf8Check = (): Utf8Check => {
  let begun = Buffer.alloc(0);
  return {
    take: (chunk) => {
      let from = 0;
      if (begun.length > 0) {
        from = Math.min(chunk.length, lengthFrom(begun[0] ?? 0) - begun.length);
        begun = Buffer.concat([begun, chunk.subarray(0, from)]);
        if (begun.length < lengthFrom(begun[0] ?? 0)) return true;
        if (!isUtf8(begun)) return false;
      }
      const rest = chunk.subarray(from);
      const end = wholeEnd(rest);
      begun = Buffer.from(rest.subarray(end));
      return isUtf8(rest.subarray(0, end));
    },
    isWhole: () => begun.length === 0,
  };
};

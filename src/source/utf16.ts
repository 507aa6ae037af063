/** UTF-16 after its byte order mark, to UTF-8. Lone surrogates, NUL and a last odd byte become U+FFFD and are counted. */
import { putCodePoint } from '../contract/put-code-point.js';

const REPLACEMENT = 0xfffd;

export interface Utf16Text {
  readonly text: Uint8Array;
  readonly lossy: number;
  readonly invalidBytes: number;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

export const decodeUtf16 = (bytes: Uint8Array, littleEndian: boolean): Utf16Text => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 2);
  // One unit gives at most three bytes, a pair of units four.
  const text = new Uint8Array((whole / 2) * 3 + 3);
  let size = 0;
  let lossy = 0;
  const put = (code: number): void => {
    size = putCodePoint(text, size, code);
  };
  for (let at = 0; at < whole; at += 2) {
    const unit = view.getUint16(at, littleEndian);
    const next = at + 2 < whole ? view.getUint16(at + 2, littleEndian) : 0;
    if (isHigh(unit) && isLow(next)) {
      put(0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
      at += 2;
    } else if (unit === 0 || isHigh(unit) || isLow(unit)) {
      lossy += 1;
      put(REPLACEMENT);
    } else {
      put(unit);
    }
  }
  const odd = bytes.length - whole;
  if (odd > 0) {
    lossy += 1;
    put(REPLACEMENT);
  }
  return { text: text.subarray(0, size), lossy, invalidBytes: (lossy - odd) * 2 + odd };
};

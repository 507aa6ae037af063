/**
 * A value of several lines that was heard in a diff, as the file itself has it: each further line without its sign. A key
 * block is then one value with one number, wherever it stands, and can be found again in the file.
 */
import type { SecretValue } from '../contract/scan.js';

const LINE_FEED = 0x0a;
const SIGNS: ReadonlySet<number | undefined> = new Set(Buffer.from('+- '));

/** The value itself where it is one line, or a further line has no sign: then it was not read as lines of a diff. */
export const withoutSigns = (value: SecretValue): SecretValue => {
  const { bytes, echo } = value;
  const signs: number[] = [];
  for (let at = bytes.indexOf(LINE_FEED) + 1; at > 0 && at < bytes.length; at = bytes.indexOf(LINE_FEED, at) + 1) {
    if (!SIGNS.has(bytes[at])) return value;
    signs.push(at);
  }
  if (signs.length === 0) return value;
  const kept = new Uint8Array(bytes.length - signs.length);
  let from = 0;
  let put = 0;
  for (const end of [...signs, bytes.length]) {
    kept.set(bytes.subarray(from, end), put);
    put += end - from;
    from = end + 1;
  }
  return { bytes: kept, echo };
};

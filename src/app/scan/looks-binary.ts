/** Whether bytes are no text, by the judgement that decides what a bundle shows (source/decode-text.ts). Copies nothing. */
import { decodeText, isCleanText } from '../../source/decode-text.js';
import { isPlainLatin1 } from '../../source/latin1.js';
import { measureInvalid } from '../../source/lossy-utf8.js';
import { utf16Order } from './utf16-bytes.js';

export const looksBinary = (bytes: Uint8Array): boolean => {
  if (isCleanText(bytes)) return false;
  if (utf16Order(bytes) !== null) return decodeText(bytes).kind === 'binary';
  const few = Math.floor(bytes.length / 100);
  return measureInvalid(bytes, few) > few && !isPlainLatin1(bytes);
};

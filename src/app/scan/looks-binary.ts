/** Whether bytes are no text, by the same judgement that decides what a bundle shows (source/decode-text.ts). */
import { decodeText, isCleanText } from '../../source/decode-text.js';

export const looksBinary = (bytes: Uint8Array): boolean => !isCleanText(bytes) && decodeText(bytes).kind === 'binary';

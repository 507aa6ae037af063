/** Reads of git objects that end where it is plain that what comes is no text. */
import type { BlobRead } from '../contract/repository.js';
import { isBinaryFrom } from './decode-text.js';

/** The read; `onBinary` is called where the rest of it is passed over. */
export const passingOverBinary = (read: Omit<BlobRead, 'isEnough'>, onBinary: () => void): BlobRead => ({
  ...read,
  isEnough: (start) => {
    const isBinary = isBinaryFrom(start, read.size);
    if (isBinary) onBinary();
    return isBinary;
  },
});

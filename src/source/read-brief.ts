/** `--brief FILE`: a small regular file that the person named on the command line, read whole and never through a link. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';

const LARGEST_BRIEF_BYTES = 64 * 1024;

const missing = (path: string, why: string, cause?: unknown): ColdsealError =>
  new ColdsealError(
    'INPUT_MISSING',
    `The brief ${printable(path)} ${why}. Name a regular file of at most ${LARGEST_BRIEF_BYTES} bytes with \`--brief FILE\`.`,
    { cause },
  );

/** UTF-8 bytes, owned by the caller. `INPUT_MISSING` when it is missing, a link, no regular file, too large or not text. */
export const readBrief = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw missing(path, 'cannot be opened as a regular file', cause);
    },
  );
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw missing(path, 'is no regular file');
    const room = Buffer.alloc(LARGEST_BRIEF_BYTES + 1);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(room, bytes, room.length - bytes, bytes);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      if (bytes > LARGEST_BRIEF_BYTES) throw missing(path, `has more than ${LARGEST_BRIEF_BYTES} bytes`);
    }
    const text = room.subarray(0, bytes);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(text);
    } catch (cause) {
      throw missing(path, 'is not UTF-8 text', cause);
    }
    return text;
  } finally {
    await file.close();
  }
};

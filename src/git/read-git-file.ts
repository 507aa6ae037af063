/**
 * The few files of a git folder that we read ourselves, before git is asked anything. A checkout can put a pipe or a
 * device in their place, on which a plain read waits for ever, in a thread that not even a signal ends; so a file is
 * opened without waiting, judged by its descriptor and read to a bound.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';

const refused = (path: string, why: string, cause?: unknown): ColdsealError =>
  new ColdsealError('GIT_UNSAFE', `${printablePath(Buffer.from(path))} ${why}. Clone the repository yourself.`, {
    cause,
  });

const opened = async (path: string): Promise<FileHandle | null> => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw refused(path, `cannot be read (${code ?? 'unknown'})`, cause);
  }
};

/**
 * The bytes of a file, its links followed as git follows them; `null` where there is none. `GIT_UNSAFE`: no regular
 * file, over `mostBytes`, unreadable. The buffer is the caller's.
 */
export const readGitFile = async (path: string, mostBytes: number): Promise<Buffer | null> => {
  const file = await opened(path);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) throw refused(path, 'is no regular file');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, end: mostBytes })) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
    if (bytes > mostBytes) throw refused(path, `has more than ${mostBytes} bytes, which is the limit`);
    return Buffer.concat(chunks, bytes);
  } finally {
    await file.close();
  }
};

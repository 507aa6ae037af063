/**
 * Idempotency keys: one small file a key, named for the key's hash and made exclusively, on disk before the run begins.
 * Whoever makes it runs; whoever finds it, in this life of the service, the next one or another process over the same
 * records, is told which run that was. A file is never removed: the same key never sends twice.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';

export interface RunKey {
  /** As the caller wrote it; only its hash is kept. */
  readonly key: string;
  /** What was asked with it, so that the key cannot be used for something else. */
  readonly asked: string;
}

export interface RunKeys {
  /** Id of the run that the key began, or `null`. `USAGE` when it was used for something else. */
  find(key: RunKey): Promise<string | null>;
  /** Makes the key `id`'s and answers it, or answers the id of whoever was first. `USAGE`, `RECORD_UNWRITABLE`. */
  claim(key: RunKey, id: string): Promise<string>;
}

const LARGEST_ENTRY_BYTES = 4096;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

const unwritable = (cause: unknown): ColdsealError =>
  new ColdsealError(
    'RECORD_UNWRITABLE',
    `the idempotency key could not be kept (${codeOf(cause) ?? 'unknown fault'}), so nothing was begun; make room or correct the records folder`,
    { cause },
  );

/** @param folderOf the folder of the keys as the settings name it now; absolute, made when the first key is kept */
export const openRunKeys = (folderOf: () => Promise<string>, randomName: () => string): RunKeys => {
  const find = async ({ key, asked }: RunKey): Promise<string | null> => {
    const entry = await readEntry(join(await folderOf(), `${sha256(key)}.json`));
    if (entry === null) return null;
    if (entry.asked === sha256(asked)) return entry.id;
    throw new ColdsealError(
      'USAGE',
      'this Idempotency-Key came with another request before; a new request takes a new key',
    );
  };
  return {
    find,
    claim: async (key, id) => {
      const folder = await folderOf();
      const file = join(folder, `${sha256(key.key)}.json`);
      const draft = join(folder, `.${randomName()}.draft`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeSynced(draft, JSON.stringify({ v: 1, id, asked: sha256(key.asked) }));
        // A link is made whole or not at all, and fails where a name is taken.
        const isFirst = await link(draft, file).then(
          () => true,
          (error: unknown) => {
            if (codeOf(error) === 'EEXIST') return false;
            throw error;
          },
        );
        await unlink(draft);
        await syncFolder(folder);
        if (isFirst) return id;
      } catch (error) {
        throw unwritable(error);
      }
      const owner = await find(key);
      if (owner === null) throw unwritable(null);
      return owner;
    },
  };
};

const writeSynced = async (path: string, text: string): Promise<void> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const readEntry = async (path: string): Promise<{ readonly id: string; readonly asked: string } | null> => {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unwritable(error);
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LARGEST_ENTRY_BYTES));
    const { id, asked } = JSON.parse(buffer.toString('utf8', 0, bytesRead)) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || typeof asked !== 'string') throw new Error('no entry');
    return { id, asked };
  } catch (error) {
    // A key whose entry cannot be read may have sent: it never sends again.
    throw unwritable(error);
  } finally {
    await file.close();
  }
};

/**
 * Records in the work tree's present form, for what stays on this machine. Nothing read here may be sent to a remote
 * provider: a bundle is made from git objects. Links are not followed, so a record is a file below the root.
 */
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';
import { MOST_RECORD_BYTES, type RecordFile, type RecordFiles, recordText } from './record-files.js';

const MOST_RECORDS = 100_000;

const isMissing = (cause: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '');

const byPath = (a: RecordFile, b: RecordFile): number => Buffer.compare(a.path, b.path);

const listBelow = async (root: string, folder: string, found: RecordFile[]): Promise<void> => {
  let entries: Awaited<ReturnType<typeof readDirectory>>;
  try {
    entries = await readDirectory(join(root, folder));
  } catch (cause) {
    if (isMissing(cause)) return;
    throw new ColdsealError('ITEM_UNREADABLE', `${folder} cannot be listed in the work tree.`, { cause });
  }
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await listBelow(root, name, found);
    else if (entry.isFile()) found.push({ path: Buffer.from(name), name });
    if (found.length > MOST_RECORDS) {
      throw new ColdsealError(
        'ITEM_TOO_LARGE',
        `More than ${MOST_RECORDS} files are below ${folder}; narrow the tree.`,
      );
    }
  }
};

const readDirectory = (folder: string) => readdir(folder, { withFileTypes: true });

const readRecord = async (root: string, file: RecordFile): Promise<Buffer> => {
  const shown = printablePath(file.path);
  try {
    const handle = await open(join(root, file.name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > MOST_RECORD_BYTES) {
        throw new ColdsealError(
          'ITEM_TOO_LARGE',
          `${shown}: ${size} bytes; at most ${MOST_RECORD_BYTES} are read of a record.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof ColdsealError) throw cause;
    throw new ColdsealError('ITEM_UNREADABLE', `${shown} cannot be read in the work tree.`, { cause });
  }
};

/** `root` is the work tree's real path. A folder on the way that is a link is not entered. */
export const recordFilesInWorkTree = (root: string): RecordFiles => ({
  below: async (folder) => {
    const found: RecordFile[] = [];
    if (await isRealFolder(root, folder)) await listBelow(root, folder, found);
    return found.sort(byPath);
  },
  // Nothing that is read here leaves the machine.
  isWithheld: () => false,
  texts: async (files) => {
    const texts: string[] = [];
    for (const file of files) texts.push(recordText(await readRecord(root, file)));
    return texts;
  },
  item: async (file) => {
    const bytes = await readRecord(root, file);
    return { path: file.path, label: null, origin: { kind: 'text', bytes }, rawBytes: bytes.length };
  },
});

const isRealFolder = async (root: string, folder: string): Promise<boolean> => {
  let at = root;
  for (const part of folder.split('/')) {
    const entry = (await readDirectory(at).catch(() => [])).find(({ name }) => name === part);
    if (entry?.isDirectory() !== true) return false;
    at = join(at, part);
  }
  return true;
};

/** Whether the next row could be written, found out without writing one. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ReadOptions, readSource } from './read-rows.js';
import { errorCode } from './record-files.js';
import { inFolder, listMonthFiles, openOwned, secureFolder } from './record-folder.js';
import { unwritable } from './unwritable.js';

/** `RECORD_UNWRITABLE`. A folder that is not there yet must be one that can be made. */
export async function probeStore(options: ReadOptions): Promise<void> {
  const { files, folder, ownUid } = readSource(options);
  try {
    if (!(await isThere(folder))) {
      await access(await nearestFolder(folder), constants.W_OK | constants.X_OK);
      return;
    }
    await secureFolder(files, folder, ownUid);
    await access(folder, constants.W_OK | constants.X_OK);
    const latest = (await listMonthFiles(files, folder)).at(-1);
    if (latest === undefined) return;
    const { file } = await openOwned(files, inFolder(folder, latest), constants.O_WRONLY | constants.O_APPEND, ownUid);
    await file.close();
  } catch (error) {
    throw unwritable(error);
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );

const nearestFolder = async (folder: string): Promise<string> => {
  let nearest = dirname(folder);
  while (!(await isThere(nearest)) && nearest !== dirname(nearest)) nearest = dirname(nearest);
  return nearest;
};

/** Whether a run's row could be written now, and whether the chain is whole. Nothing is written. */
import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printable } from '../../contract/printable.js';
import { verifyRecords } from '../../record/verify-records.js';
import { type Check, fail, ok, refused, warn } from './check.js';

export const checkRecords = async (folder: string): Promise<readonly Check[]> => [
  await checkFolder(folder),
  await checkChain(folder),
];

const ROOM = 'Correct owner, mode or place: without a row there is no send (RECORD_UNWRITABLE).';

const checkFolder = async (folder: string): Promise<Check> => {
  const shown = printable(folder);
  const facts = await lstat(folder).catch(() => null);
  if (facts !== null && !facts.isDirectory()) return fail('records', `${shown} is no real folder`, ROOM);
  const there = facts === null ? await nearestFolder(dirname(folder)) : folder;
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch {
    return fail('records', `${printable(there)} cannot be written`, ROOM);
  }
  return ok('records', facts === null ? `${shown}, made with the first row` : `${shown} can be written`);
};

const nearestFolder = async (folder: string): Promise<string> => {
  const facts = await lstat(folder).catch(() => null);
  return facts !== null || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
};

const checkChain = async (folder: string): Promise<Check> => {
  try {
    const { whole, rows, break: broken, unfinished, last_hash: lastHash } = await verifyRecords({ folder });
    if (!whole) {
      const place = broken === null ? '' : ` at ${broken.file}, row ${broken.line}: ${broken.reason}`;
      return fail('chain', `broken${place}`, 'Keep the files as they are; `coldseal records verify` says where.');
    }
    const found = `whole, ${rows} rows, last hash ${lastHash}`;
    if (unfinished.length === 0) return ok('chain', found);
    const first = unfinished[0] ?? '';
    return warn(
      'chain',
      `${found}; ${unfinished.length} without an end`,
      `Look at \`coldseal records show ${first}\`.`,
    );
  } catch (error) {
    return refused('chain', error, 'Correct owner and mode of the records folder.');
  }
};

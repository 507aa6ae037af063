/**
 * Whether the chain is whole, and if not, the first row where it breaks. What a crash leaves (a torn last line, a last
 * hash one write behind, a start without an end) is a note; what no crash can leave is a break. The chain shows damage
 * and edits, and with the last-hash file a cut tail; it cannot show a rewrite of everything by the same user, which is
 * why the last hash is printed to be kept elsewhere.
 */
import type { ChainDocument } from '../contract/documents.js';
import { ChainWalk } from './chain-walk.js';
import { type ChainEnd, readLastHash } from './last-hash.js';
import { markOfSelf, SYSTEM_TABLE } from './process-mark.js';
import { folderExists, type ReadOptions, readSource } from './read-rows.js';
import { inFolder, listMonthFiles } from './record-folder.js';
import { GENESIS } from './row-line.js';
import { type LineSource, readLines } from './row-stream.js';
import { lockSettings, lockToken, withStoreLock } from './store-lock.js';
import { unreadable } from './unwritable.js';

interface Snapshot {
  readonly months: readonly { readonly name: string; readonly bytes: number }[];
  readonly lastHash: ChainEnd | null;
  readonly note: string | null;
}

const LOCK_TIMEOUT_MS = 2000;
const MOST_NAMED = 1000;
const UNLOCKED_TRIES = 20;

export async function verifyRecords(options: ReadOptions): Promise<ChainDocument> {
  const source = readSource(options);
  try {
    if (!(await folderExists(source))) return emptyStore();
    const snapshot = await takeSnapshot(source);
    const walk = new ChainWalk(snapshot.lastHash);
    for (const { name, bytes } of snapshot.months) {
      for await (const line of readLines(source, name, 0, bytes)) {
        walk.add(line);
        if (walk.brokenAt !== null) break;
      }
      if (walk.brokenAt !== null) break;
    }
    walk.finish();
    return {
      whole: walk.brokenAt === null,
      rows: walk.rows,
      files: snapshot.months.length,
      last_hash: walk.lastHash,
      break: walk.brokenAt,
      notes: [...(snapshot.note === null ? [] : [snapshot.note]), ...walk.notes],
      unfinished: [...walk.unfinished].slice(0, MOST_NAMED),
    };
  } catch (error) {
    throw unreadable(error);
  }
}

/** Sizes and last hash of one moment between two rows; what is appended later is not looked at. */
async function takeSnapshot(source: LineSource): Promise<Snapshot> {
  const self = await markOfSelf(SYSTEM_TABLE);
  const lock = lockSettings(source, self, lockToken(), SYSTEM_TABLE, LOCK_TIMEOUT_MS);
  try {
    return await withStoreLock(lock, () => look(source, null));
  } catch {
    return lookUnlocked(source);
  }
}

/** The last hash may not move while sizes are taken; a few tries, for a folder that is busy rather than read-only. */
async function lookUnlocked(source: LineSource): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    const before = await readLastHash(source);
    const seen = await look(source, 'looked at without the lock: the folder cannot be written or is busy');
    if (tries === UNLOCKED_TRIES || before?.hash === (await readLastHash(source))?.hash) return seen;
  }
}

async function look(source: LineSource, note: string | null): Promise<Snapshot> {
  const months: { name: string; bytes: number }[] = [];
  const lastHash = await readLastHash(source);
  for (const name of await listMonthFiles(source.files, source.folder)) {
    months.push({ name, bytes: (await source.files.lstat(inFolder(source.folder, name))).size });
  }
  return { months, lastHash, note };
}

const emptyStore = (): ChainDocument => ({
  whole: true,
  rows: 0,
  files: 0,
  last_hash: GENESIS,
  break: null,
  notes: ['there is no record yet'],
  unfinished: [],
});

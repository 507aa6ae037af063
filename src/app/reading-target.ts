/** What a person named for a reading: the position, the commit, and what the commit's own presets say of the position. */
import { type PresetEntry, READING_PRESETS_PATH, readReadingPresets } from '../config/reading-presets.js';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { isPosition, POSITIONS, type Position } from '../contract/reading.js';
import type { Repository } from '../contract/repository.js';

const MOST_PRESETS_BYTES = 1024 * 1024;
const COMMIT_ID = /^[0-9a-f]{4,64}$/i;

/** `USAGE` for what is none. */
export const requirePosition = (typed: string): Position => {
  if (isPosition(typed)) return typed;
  throw new ColdsealError('USAGE', `"${printable(typed)}" is no position; there are ${POSITIONS.join(', ')}.`);
};

/** Full id. `USAGE`; `INPUT_MISSING` in a repository without a commit. */
export const targetOf = async (repository: Repository, target: string): Promise<string> => {
  if (target !== 'HEAD' && !COMMIT_ID.test(target)) {
    throw new ColdsealError('USAGE', `"${printable(target)}" is no target; write HEAD or a commit id.`);
  }
  const commit = target === 'HEAD' ? await repository.head() : await repository.resolveCommit(target);
  if (commit !== null) return commit;
  if (target === 'HEAD') throw new ColdsealError('INPUT_MISSING', 'There is no commit yet to read. Commit first.');
  throw new ColdsealError('USAGE', `${target} names no commit of this repository.`);
};

/** The position's entry in the presets of the commit that is read. `INPUT_MISSING`, `CONFIG_INVALID`. */
export const entryOf = async (repository: Repository, commit: string, position: Position): Promise<PresetEntry> => {
  const wanted = Buffer.from(READING_PRESETS_PATH);
  const [file] = await repository.listTree(commit, ({ path, mode }) => wanted.equals(path) && mode.startsWith('100'));
  if (file === undefined) {
    throw new ColdsealError(
      'INPUT_MISSING',
      `${READING_PRESETS_PATH} is no file of the commit that is read, so nothing says what a reading is made of. Commit it.`,
      { facts: { input: 'items' } },
    );
  }
  const entry = readReadingPresets(await repository.readBlob(file.objectId, MOST_PRESETS_BYTES)).get(position);
  if (entry !== undefined) return entry;
  throw new ColdsealError('INPUT_MISSING', `${READING_PRESETS_PATH} has no entry for the ${position} position.`, {
    facts: { input: 'items' },
  });
};

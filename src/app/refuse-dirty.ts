/** Whether a reading's files are in the work tree as they are committed. */
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';
import type { Repository, TreeEntry } from '../contract/repository.js';
import { findDirty } from '../kinds/find-dirty.js';
import { isIncluded, type ReadingEntry } from '../kinds/select-reading.js';
import type { Surroundings } from './surroundings.js';

const SHOWN_PATHS = 10;

/**
 * A reading is of a commit. Whoever has changed an included file since would take the one for the other, so a path that is
 * not as HEAD has it refuses, whatever commit is read; files that git does not know yet are told.
 */
export const refuseDirty = async (
  repository: Repository,
  entry: ReadingEntry,
  surroundings: Surroundings,
): Promise<void> => {
  const { workTree } = repository;
  const head = await repository.head();
  if (workTree === null || head === null) return;
  const meets = isIncluded(entry);
  const committed = await repository.listTree(head, ({ path }) => meets(path));
  const changed = await findDirty(repository, workTree, committed, surroundings.signal);
  const staged = (await repository.stagedFiles()).filter(({ path }) => meets(path));
  const dirty = [...new Set([...changed, ...staged].map(({ path }) => printablePath(path)))].sort();
  if (dirty.length > 0) {
    const shown = dirty.slice(0, SHOWN_PATHS).join(', ');
    const more = dirty.length > SHOWN_PATHS ? ` and ${dirty.length - SHOWN_PATHS} more` : '';
    throw new ColdsealError(
      'READING_INVALID',
      `${dirty.length === 1 ? 'An included file is' : `${dirty.length} included files are`} not as committed: ${shown}${more}. A reading is of a commit; commit or restore first.`,
      { facts: { dirty: dirty.length } },
    );
  }
  await tellUnknown(repository, committed, meets, surroundings);
};

const tellUnknown = async (
  repository: Repository,
  committed: readonly TreeEntry[],
  meets: (path: Uint8Array) => boolean,
  { say }: Pick<Surroundings, 'say'>,
): Promise<void> => {
  const known = new Set(committed.map(({ path }) => Buffer.from(path).toString('latin1')));
  const present = await repository.listWorkTree([]);
  const unknown = present.filter((path) => meets(path) && !known.has(Buffer.from(path).toString('latin1')));
  if (unknown.length === 0) return;
  say(
    `coldseal: ${unknown.length} untracked ${unknown.length === 1 ? 'file meets' : 'files meet'} the include list and ${unknown.length === 1 ? 'is' : 'are'} not in the reading`,
  );
};

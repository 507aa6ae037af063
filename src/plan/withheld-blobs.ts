/**
 * A withheld file must not travel under another name: what has the bytes of a withheld file is withheld too, on both
 * sides of a move. The empty file has nothing to hide and would take every other empty file with it.
 */
import { ColdsealError } from '../contract/error.js';
import type { PathMatch } from '../contract/path-glob.js';
import type { ObjectFormat, TreeChange, TreeEntry } from '../contract/repository.js';

const EMPTY_BLOBS: Readonly<Record<ObjectFormat, string>> = {
  sha1: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  sha256: '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
};

const NO_OBJECT = /^0+$/;

export interface WithheldJudge {
  /** By its path, or by an object that a withheld path has. */
  isWithheld(path: Uint8Array, objectIds: readonly string[]): boolean;
}

export interface WithheldSources {
  readonly format: ObjectFormat;
  readonly isWithheld: PathMatch;
  readonly changes: readonly TreeChange[];
  /** Objects that withheld files of the commit have, where the plan had to list it. */
  readonly hidden: Iterable<string>;
}

/** Names alone are held of withheld files that are no items: some hundred bytes each. */
const MOST_HIDDEN = 1_000_000;

/** The objects of a commit's withheld files, taken while its rows are read. `ITEM_TOO_LARGE` over a million. */
export const gatherHidden = (isWithheld: PathMatch) => {
  const ids = new Set<string>();
  return {
    ids: ids as ReadonlySet<string>,
    take: ({ path, objectId }: TreeEntry): void => {
      if (!isWithheld(path)) return;
      ids.add(objectId);
      if (ids.size > MOST_HIDDEN) throw tooManyHidden();
    },
  };
};

const tooManyHidden = (): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `More than ${MOST_HIDDEN} different files of the commit are withheld, which is the most that is told apart. Withhold fewer, or read another commit.`,
    { facts: { limit_items: MOST_HIDDEN } },
  );

export const judgeWithheld = (sources: WithheldSources): WithheldJudge => {
  const { format, isWithheld, changes, hidden } = sources;
  const blobs = new Set<string>(hidden);
  for (const { path, oldId, newId } of changes) {
    if (isWithheld(path)) blobs.add(oldId).add(newId);
  }
  blobs.delete(EMPTY_BLOBS[format]);
  for (const id of blobs) if (NO_OBJECT.test(id)) blobs.delete(id);
  return {
    isWithheld: (path, objectIds) => objectIds.some((id) => blobs.has(id)) || isWithheld(path),
  };
};

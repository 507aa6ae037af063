/**
 * One repository's objects cut into slices of about the same bytes, in path order. Every worker cuts for itself: the cut
 * depends on the objects and the number of slices alone, so the slices of one commit fit together on any machines.
 */
import type { Repository } from '../../contract/repository.js';
import { findBrought } from '../scan/find-brought.js';
import type { BroughtObject } from '../scan/read-brought.js';

const SUBMODULE = '160000';

export interface ObjectsOfScan {
  readonly commit: string;
  /** What the commits of the range bring; the commit's whole tree where it is `null`. */
  readonly range: string | null;
}

/** `NO_RANGE`, `USAGE`, `ITEM_UNREADABLE`. */
export const objectsOf = async (
  repository: Repository,
  folder: string,
  { commit, range }: ObjectsOfScan,
): Promise<readonly BroughtObject[]> => {
  if (range !== null) return findBrought(repository, folder, { kind: 'range', typed: range }, []);
  const tree = await repository.listTree(commit, () => true);
  return tree.map(({ path, mode, objectId }) => ({ path, mode, objectId, brought: { commit: null, before: [] } }));
};

/** The slice of one shard. An object stands in the slice in which it begins, so none is cut. */
export const sliceOf = async (
  repository: Repository,
  objects: readonly BroughtObject[],
  shard: { readonly index: number; readonly of: number },
): Promise<readonly BroughtObject[]> => {
  if (shard.of === 1) return objects;
  const sizes = await sizesOf(repository, objects);
  const weight = (at: number): number => (sizes[at] ?? 0) + 1;
  const total = objects.reduce((sum, _, at) => sum + weight(at), 0);
  let before = 0;
  return objects.filter((_, at) => {
    const slice = Math.min(shard.of - 1, Math.floor((before * shard.of) / total));
    before += weight(at);
    return slice === shard.index;
  });
};

const sizesOf = async (repository: Repository, objects: readonly BroughtObject[]): Promise<readonly number[]> => {
  const ids = [...new Set(objects.filter(({ mode }) => mode !== SUBMODULE).map(({ objectId }) => objectId))];
  const sizes = await repository.blobSizes(ids);
  const sizeOf = new Map(ids.map((id, at) => [id, sizes[at] ?? 0]));
  return objects.map(({ objectId }) => sizeOf.get(objectId) ?? 0);
};

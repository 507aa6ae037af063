/**
 * One repository's objects cut into slices of about the same bytes, in path order. Every worker cuts for itself: the cut
 * depends on the objects and the number of slices alone, so the slices of one commit fit together on any machines.
 *
 * What a commit holds cannot change, so a worker lists it once for all the shards it is handed one after the other.
 */
import { ColdsealError } from '../../contract/error.js';
import type { Job, ScanTask } from '../../contract/job.js';
import type { Repository } from '../../contract/repository.js';
import { findBrought } from '../scan/find-brought.js';
import { type BroughtObject, sizesOf } from '../scan/read-brought.js';

export interface SizedObjects {
  readonly objects: readonly BroughtObject[];
  /** Bytes, in the order of the objects. */
  readonly sizes: readonly number[];
}

export interface ShardPlans {
  /** The objects of the scan's slice. `NO_RANGE`, `USAGE`, `ITEM_UNREADABLE`. */
  sliceOf(repository: Repository, folder: string, task: ScanTask, named: Job['repository']): Promise<SizedObjects>;
}

/** Listings over that are made for each shard anew. */
const MOST_KEPT_OBJECTS = 200_000;

export const openShardPlans = (): ShardPlans => {
  let kept: { readonly key: string; readonly plan: SizedObjects } | null = null;
  return {
    sliceOf: async (repository, folder, task, named) => {
      // A range is made of names, and names move.
      const key = task.range === null ? JSON.stringify([named, task.commit]) : null;
      if (key === null || kept?.key !== key) {
        const plan = await planOf(repository, folder, task);
        if (key === null || plan.objects.length > MOST_KEPT_OBJECTS) return sliceOf(plan, task.shard);
        kept = { key, plan };
      }
      return sliceOf(kept.plan, task.shard);
    },
  };
};

const planOf = async (repository: Repository, folder: string, { commit, range }: ScanTask): Promise<SizedObjects> => {
  if ((await repository.resolveCommit(commit)) !== commit) {
    throw new ColdsealError('NO_RANGE', 'the job names a commit that this repository does not have');
  }
  const objects =
    range === null
      ? await treeOf(repository, commit)
      : await findBrought(repository, folder, { kind: 'range', typed: range }, []);
  return { objects, sizes: await sizesOf(repository, objects) };
};

const treeOf = async (repository: Repository, commit: string): Promise<readonly BroughtObject[]> => {
  const tree = await repository.listTree(commit, () => true);
  return tree.map(({ path, mode, objectId }) => ({ path, mode, objectId, brought: { commit: null, before: [] } }));
};

/** The slice of one shard. An object stands in the slice in which it begins, so none is cut. */
const sliceOf = (
  { objects, sizes }: SizedObjects,
  { index, of }: { readonly index: number; readonly of: number },
): SizedObjects => {
  const weight = (at: number): number => (sizes[at] ?? 0) + 1;
  const total = objects.reduce((sum, _, at) => sum + weight(at), 0);
  let before = 0;
  const isIn = objects.map((_, at) => {
    const slice = Math.min(of - 1, Math.floor((before * of) / total));
    before += weight(at);
    return slice === index;
  });
  return { objects: objects.filter((_, at) => isIn[at]), sizes: sizes.filter((_, at) => isIn[at]) };
};

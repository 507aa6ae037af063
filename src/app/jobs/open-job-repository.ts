/**
 * Which repository a job means on this machine. The job's word is never enough: a path must lead, links followed, into a
 * folder of this owner's list, and so must the repository that is found there; a clone URL must stand on the list letter
 * for letter.
 */
import { ColdsealError } from '../../contract/error.js';
import type { JobRepository } from '../../contract/job.js';
import type { QueueSettings } from '../../contract/settings.js';
import { repositoryInside } from '../service/allowed-repository.js';
import type { CloneCache } from './clone-cache.js';

/** Runs `work` with the repository's folder. `JOB_NOT_ALLOWED`, `NOT_A_REPOSITORY`, `GIT_*`. */
export const withJobRepository = async <T>(
  repository: JobRepository,
  queue: QueueSettings,
  clones: CloneCache,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  if ('path' in repository) return work(await allowedFolder(repository.path, queue.repositories));
  if (!queue.clones.includes(repository.clone)) {
    throw new ColdsealError(
      'JOB_NOT_ALLOWED',
      'the job names a clone URL that is not in coldseal.queue.clones of this machine',
    );
  }
  return clones.withCommit(repository.clone, repository.commit, work);
};

/** The real path of a repository inside one of the allowed folders. */
const allowedFolder = async (path: string, allowed: readonly string[]): Promise<string> => {
  const found = await repositoryInside(path, allowed);
  if (found !== null) return found;
  throw new ColdsealError(
    'JOB_NOT_ALLOWED',
    'the job names no repository inside the folders of coldseal.queue.repositories (else coldseal.service.repositories) of this machine',
  );
};

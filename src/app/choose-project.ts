/** Which project this repository is, asked of its history, and what the owner set for it. */
import { type ChosenProject, chooseProject } from '../admission/choose-project.js';
import type { Place } from './open-place.js';

export interface ProjectOfRun extends ChosenProject {
  readonly roots: readonly string[];
  readonly shallow: boolean;
}

/** `PROJECT_AMBIGUOUS`. A repository without a commit has no roots and takes the defaults. */
export const projectOf = async ({
  repository,
  settings,
}: Pick<Place, 'repository' | 'settings'>): Promise<ProjectOfRun> => {
  const head = await repository.head();
  const shallow = await repository.isShallow();
  const roots = head === null || shallow ? [] : await repository.rootCommits(head);
  return { ...chooseProject({ roots, shallow, settings }), roots, shallow };
};

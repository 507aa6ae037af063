/** A review of a range of commits: its diff, then each changed file as it is at the range's head. Any repository. */
import { CODE_FAMILIES, type KindDefinition } from './kind.js';

export const changeReview = {
  kind: 'change_review',
  agents: ['change-reviewer'],
  needsRecordTree: false,
  range: 'branch-or-last-commit',
  readsFiles: true,
  answer: 'text',
  families: CODE_FAMILIES,
  summary: 'the diff of a range and each changed file at its head, for a reviewer',
} as const satisfies KindDefinition;

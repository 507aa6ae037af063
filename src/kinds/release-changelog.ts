/** What came and went between two revisions of the records, for the text of a release. */
import { ALL_FAMILIES, type KindDefinition } from './kind.js';

export const releaseChangelog = {
  kind: 'release_changelog',
  agents: ['release-changelog-composer'],
  needsRecordTree: true,
  range: 'revisions',
  readsFiles: true,
  answer: 'json',
  families: ALL_FAMILIES,
  summary: 'the cut between two revisions and each added record, for a changelog',
} as const satisfies KindDefinition;

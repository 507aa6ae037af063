/** A question about files that the owner named for this project. Without such a list there is nothing to read. */
import { CODE_FAMILIES, type KindDefinition } from './kind.js';

export const sourceQuestion = {
  kind: 'source_question',
  agents: ['source-reader'],
  needsRecordTree: false,
  range: 'none',
  readsFiles: true,
  answer: 'text',
  families: CODE_FAMILIES,
  summary: 'the files that the owner lists for this project, for a question about them',
} as const satisfies KindDefinition;

/** Whether the brief and all intents agree with one another. */
import { ALL_FAMILIES, type KindDefinition } from './kind.js';

export const intentConsistency = {
  kind: 'intent_consistency',
  agents: ['intent-auditor'],
  needsRecordTree: true,
  range: 'none',
  readsFiles: true,
  answer: 'json',
  families: ALL_FAMILIES,
  summary: 'the brief and every intent, for a pass over their agreement',
} as const satisfies KindDefinition;

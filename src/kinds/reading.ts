/** A parked reading: items that were chosen before, read cold by one of four positions. */
import { ALL_FAMILIES, type KindDefinition } from './kind.js';

export const reading = {
  kind: 'reading',
  agents: ['cold-reading-widening', 'cold-reading-entailment', 'cold-reading-comparative', 'cold-reading-detection'],
  needsRecordTree: true,
  range: 'none',
  readsFiles: false,
  answer: 'json',
  families: ALL_FAMILIES,
  summary: 'the items of a parked reading, for one of the four cold-reading positions',
} as const satisfies KindDefinition;

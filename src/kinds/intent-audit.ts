/** Whether a shipped intent does what its acceptance criteria say, judged against the delivered range. */
import { ALL_FAMILIES, type KindDefinition } from './kind.js';

export const intentAudit = {
  kind: 'intent_audit',
  agents: ['intent-auditor'],
  needsRecordTree: true,
  range: 'branch',
  readsFiles: true,
  answer: 'json',
  families: ALL_FAMILIES,
  summary: 'a shipped intent, its specs and the delivered range, for an audit',
} as const satisfies KindDefinition;

/** Every kind by its name. The lists are compiled in: what may leave is not a matter of shipped data. */
import type { KindName } from '../contract/item.js';
import { changeReview } from './change-review.js';
import { intentAudit } from './intent-audit.js';
import { intentConsistency } from './intent-consistency.js';
import type { KindDefinition } from './kind.js';
import { reading } from './reading.js';
import { releaseChangelog } from './release-changelog.js';
import { sourceQuestion } from './source-question.js';

export const KIND_DEFINITIONS: Readonly<Record<KindName, KindDefinition>> = Object.freeze({
  intent_audit: intentAudit,
  intent_consistency: intentConsistency,
  release_changelog: releaseChangelog,
  reading,
  change_review: changeReview,
  source_question: sourceQuestion,
});

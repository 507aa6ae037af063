/**
 * The closed vocabulary of each kind: the inputs its bundle carries, in order (product.md section 5). Compiled in, never
 * configuration: the settings reader judges an owner's list against it and the kinds build the default list from it.
 */
import type { InputName, KindName } from './item.js';

export const KIND_INPUTS = {
  intent_audit: ['request', 'intent', 'specs', 'diff', 'changed_files'],
  intent_consistency: ['request', 'corpus'],
  release_changelog: ['cut', 'records'],
  reading: ['items'],
  change_review: ['diff', 'changed_files'],
  source_question: ['files'],
} as const satisfies Record<KindName, readonly InputName[]>;

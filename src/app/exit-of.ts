/**
 * Exit code of an outcome: what was sent, planned or handed to the host is done; everything else has its code's own. But
 * 2 says that nothing was sent, so a rule that ended a run after its request had left is a 3: a call without an answer.
 */
import { CODES, isRefusal } from '../contract/codes.js';
import type { OutcomeDocument } from '../contract/documents.js';

export const exitOf = ({ outcome, code }: Pick<OutcomeDocument, 'outcome' | 'code'>): 0 | 1 | 2 | 3 =>
  code === undefined || outcome === 'host'
    ? 0
    : outcome === 'provider_failed' && isRefusal(code)
      ? 3
      : CODES[code].exit;

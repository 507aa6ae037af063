/** Exit code of an outcome: what was sent, planned or handed to the host is done; everything else has its code's own. */
import { CODES } from '../contract/codes.js';
import type { OutcomeDocument } from '../pipeline/outcome.js';

export const exitOf = ({ outcome, code }: Pick<OutcomeDocument, 'outcome' | 'code'>): 0 | 1 | 2 | 3 =>
  code === undefined || outcome === 'host' ? 0 : CODES[code].exit;

/** What a send gives back to the command line, the service or the queue. */
import type { SealedBundle } from '../contract/bundle.js';
import type { OutcomeDocument } from '../contract/documents.js';

export interface SendResult {
  readonly exit: 0 | 1 | 2 | 3;
  readonly document: OutcomeDocument;
  /** The answer's text, scrubbed and as it came; make it printable before showing it. */
  readonly answerText: string | null;
  /** With a plan that may leave: the bundle itself. */
  readonly sealed: SealedBundle | null;
  /** Notes of the answer, e.g. that it named no model. */
  readonly notes: readonly string[];
}

/** What a kind of the record tree prepares for one run. */
import type { CommitRange, PreparedInputs } from '../contract/item.js';

interface ComposedDocument {
  /** After the stem: `request.md`, `corpus.md`, `request.json`. */
  readonly suffix: string;
  readonly bytes: Uint8Array;
}

export interface ComposedKind {
  readonly prepared: PreparedInputs;
  /** Commits the bundle is made from; the plan reads at its head. */
  readonly range: CommitRange | null;
  /** Names the run's files; `null` where the record's id does. */
  readonly receipt: string | null;
  /** Files of the request as it is, for the host route. */
  readonly documents: readonly ComposedDocument[];
}

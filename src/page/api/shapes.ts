/**
 * What the page reads beside the documents of the contract: a run of this service, an item with its text. Written down
 * here because the page shares no code with the server but the vocabulary; a test holds them against the server's own
 * types.
 */
import type { BundleDocument, ItemDocument, OutcomeDocument, RunSummary } from '../../contract/documents.js';
import type { RecordRow } from '../../contract/record.js';

export interface RunRecord {
  readonly summary: RunSummary;
  readonly rows: readonly RecordRow[];
}

/** An item of a bundle; in a plan and in a record alike. */
export interface BundleItem extends ItemDocument {
  /** The blanked text, in a plan that was asked for it. */
  readonly text?: string;
}

/** What a plan and a record have in common. */
export interface BundleFacts extends Omit<BundleDocument, 'items' | 'tokens_est'> {
  readonly items: readonly BundleItem[];
}

export type Stage = 'plan' | 'scan' | 'seal' | 'send' | 'answer';

/** A run of this service: how far it is, or how it ended. */
export interface DispatchState extends Partial<Omit<OutcomeDocument, 'outcome'>> {
  readonly id: string;
  readonly state: 'running' | 'ended';
  readonly kind: string | null;
  readonly verb: string;
  readonly begun: string;
  /** Not there for a run of an earlier start of the service. */
  readonly progress?: {
    readonly stage: Stage;
    readonly items: number;
    readonly items_due: number | null;
    readonly bytes: number;
    readonly bytes_due: number | null;
    /** After blanking: what counts against the cap. */
    readonly bundle_bytes: number;
    readonly cap: number | null;
    readonly blanked: number;
  };
  readonly outcome?: OutcomeDocument['outcome'] | 'failed' | 'unknown';
}

export type Progress = NonNullable<DispatchState['progress']>;

/** Rows of the record: what went, what was blanked, what came back, or why it was refused. No text of any item. */
import type { CapOrigin } from './bundle.js';
import type { Code } from './codes.js';
import type { BundleDocument, ItemDocument, RouteDocument } from './documents.js';

/** Its path is blanked, `[withheld]` where the name held a finding. */
export interface RecordedItem extends ItemDocument {
  readonly object?: string;
}

/** The document's members, but for the estimate; what was recorded was approved, and its cap's origin is one of ours. */
export interface RecordedBundle extends Omit<BundleDocument, 'items' | 'cap_origin' | 'approval' | 'tokens_est'> {
  readonly items: readonly RecordedItem[];
  readonly cap_origin: CapOrigin;
  readonly approval: string;
}

export interface RecordedRoute extends Omit<RouteDocument, 'model_reported'> {
  readonly proxy?: string;
  readonly credential?: string;
}

/**
 * What a row says; the store adds `v`, `id`, `time`, `prev` and `hash`.
 *
 * The figures of `coldseal metrics` come from these names. `durations_ms` of a start row: `scan`, `seal`; of an end row:
 * `provider` (connect to the last byte read), `first_token`. `usage`: `prompt_tokens`, `completion_tokens`; a figure that
 * the provider did not give is left out.
 */
export type RowBody =
  | {
      readonly event: 'start';
      readonly attempt: number;
      readonly verb: string;
      readonly route: RecordedRoute;
      readonly bundle: RecordedBundle | null;
      readonly digests: Readonly<Record<string, string>>;
      readonly versions: Readonly<Record<string, string>>;
      readonly durations_ms: Readonly<Record<string, number>>;
      readonly scanned_bytes: number;
    }
  | {
      readonly event: 'end';
      readonly outcome: 'sent' | 'provider_failed' | 'refused' | 'host';
      readonly code?: Code;
      /** Of a run that ended without an answer to use: how far its request had come. Only `unsent` is ever refused. */
      readonly request?: RequestProgress;
      readonly model_reported?: string;
      readonly usage?: Readonly<Record<string, number>>;
      readonly finish_reason?: string | null;
      readonly generation_id?: string;
      readonly answer_bytes?: number;
      readonly attempts: number;
      readonly durations_ms: Readonly<Record<string, number>>;
    }
  | {
      readonly event: 'refused';
      readonly verb: string;
      readonly code: Code;
      /** Closed facts of the refusal (sizes, limits, names of settings); never item text. */
      readonly facts: Readonly<Record<string, string | number | boolean | null>>;
      readonly route: RecordedRoute | null;
      readonly kind: string | null;
      readonly project: string | null;
    }
  | { readonly event: 'host'; readonly verb: string; readonly route: RecordedRoute; readonly kind: string | null }
  | { readonly event: 'repair'; readonly torn_bytes: number };

export type RequestProgress = 'unsent' | 'partly_sent' | 'sent' | 'answered';

export type RecordRow = RowBody & {
  readonly v: 1;
  /** `rec-` + 26 characters of base32; the same in every row of one run. */
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  readonly prev: string;
  readonly hash: string;
};

export interface RecordStore {
  /** Appends under an exclusive lock and returns when the row is on disk. `RECORD_UNWRITABLE` otherwise. */
  append(id: string, body: RowBody): Promise<RecordRow>;
}

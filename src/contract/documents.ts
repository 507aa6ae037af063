/**
 * The JSON documents that programs read: of a run (`--json`, the API) and of the record's listing. Member names are a
 * contract. They stand here because the service writes them and its page reads them, and those two share no code.
 */
import type { BlankedSpan } from './bundle.js';
import type { Code } from './codes.js';
import type { CommitRange } from './item.js';

/** How a recorded run ended. A start without an end is `unknown`: the program was killed, or is still at it. */
export type RunOutcome = 'sent' | 'provider_failed' | 'refused' | 'host' | 'unknown';

/** What a listing shows of a run; small, whatever the size of its rows. */
export interface RunSummary {
  readonly id: string;
  /** Of its first row. */
  readonly time: string;
  readonly verb: string;
  readonly outcome: RunOutcome;
  readonly code: Code | null;
  readonly agent: string | null;
  readonly kind: string | null;
  readonly project: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly items: number | null;
  readonly bytes: number | null;
  readonly blanked: number | null;
  readonly attempts: number;
}

/** What `records verify` answers: whether the chain of rows is whole, and if not, the first row where it breaks. */
export interface ChainDocument {
  readonly whole: boolean;
  readonly rows: number;
  readonly files: number;
  /** Of the last good row: worth keeping elsewhere. */
  readonly last_hash: string;
  /** `file` is a month file or `last-hash`; `line` is 1-based, 0 for the last-hash file. */
  readonly break: { readonly file: string; readonly line: number; readonly reason: string } | null;
  readonly notes: readonly string[];
  /** Runs with a start and no end, oldest first; at most 1,000 are named. */
  readonly unfinished: readonly string[];
}

export interface RouteDocument {
  readonly agent: string;
  readonly provider: string | null;
  readonly model_asked: string | null;
  readonly model_reported?: string;
  readonly origin: string;
  readonly remote: boolean;
  readonly host?: string;
}

export interface ItemDocument {
  readonly id: string;
  readonly input: string;
  readonly path?: string;
  readonly label?: string;
  readonly raw_bytes: number;
  readonly bytes: number;
  readonly omitted?: string;
  readonly lossy?: number;
  readonly encoding?: string;
}

export interface BundleDocument {
  readonly kind: string;
  readonly list_origin: string;
  readonly project: string | null;
  readonly range?: CommitRange;
  readonly items: readonly ItemDocument[];
  readonly deleted?: readonly string[];
  readonly bytes: number;
  readonly raw_bytes: number;
  readonly cap: number;
  readonly cap_origin: string;
  readonly digest: string;
  readonly approval?: string;
  readonly tokens_est: number;
  readonly blanked: readonly BlankedSpan[];
  readonly unscanned_at_assembly?: number;
  readonly scanned_now?: number;
}

export interface OutcomeDocument {
  readonly outcome: 'sent' | 'planned' | 'host' | 'refused' | 'provider_failed';
  readonly code?: Code;
  readonly message?: string;
  readonly facts?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly route: RouteDocument;
  readonly bundle?: BundleDocument;
  readonly answer?: {
    readonly path?: string;
    readonly bytes: number;
    readonly finish_reason: string | null;
    readonly usage?: Readonly<Record<string, number>>;
  };
  /** The row's place; its path is the store's to say. */
  readonly record?: { readonly id: string; readonly path: string };
}

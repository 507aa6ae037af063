/**
 * The service's documents as the page reads them: the same members that the command line prints with `--json`. Written
 * down here because the page shares no code with the server but the vocabulary; a test holds them against the server's
 * own types.
 */
import type { BlankedSpan } from '../../contract/bundle.js';
import type { Code } from '../../contract/codes.js';
import type { RecordRow } from '../../contract/record.js';

export type RunOutcome = 'sent' | 'provider_failed' | 'refused' | 'host' | 'unknown';

/** One line of the record list. */
export interface RunSummary {
  readonly id: string;
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

export interface RunRecord {
  readonly summary: RunSummary;
  readonly rows: readonly RecordRow[];
}

/** An item of a bundle; in a plan and in a record alike. */
export interface BundleItem {
  readonly id: string;
  readonly input: string;
  readonly path?: string;
  readonly label?: string;
  readonly raw_bytes: number;
  readonly bytes: number;
  readonly omitted?: string;
  readonly lossy?: number;
  readonly encoding?: string;
  /** The blanked text, in a plan that was asked for it. */
  readonly text?: string;
}

/** What a plan and a record have in common. */
export interface BundleFacts {
  readonly kind: string;
  readonly list_origin: string;
  readonly project: string | null;
  readonly range?: { readonly base: string; readonly head: string };
  readonly items: readonly BundleItem[];
  readonly deleted?: readonly string[];
  readonly bytes: number;
  readonly raw_bytes: number;
  readonly cap: number;
  readonly cap_origin: string;
  readonly digest: string;
  readonly approval?: string;
  readonly blanked: readonly BlankedSpan[];
  readonly unscanned_at_assembly?: number;
  readonly scanned_now?: number;
}

export interface RouteFacts {
  readonly agent: string;
  readonly provider: string | null;
  readonly model_asked: string | null;
  readonly model_reported?: string;
  readonly origin: string;
  readonly remote: boolean;
  readonly host?: string;
}

/** The document of a plan or a dispatch. */
export interface OutcomeDocument {
  readonly outcome: 'sent' | 'planned' | 'host' | 'refused' | 'provider_failed';
  readonly code?: Code;
  readonly message?: string;
  readonly route: RouteFacts;
  readonly bundle?: BundleFacts;
  readonly answer?: {
    readonly path?: string;
    readonly bytes: number;
    readonly finish_reason: string | null;
  };
  readonly record?: { readonly id: string };
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

/** What `coldseal bench` says of repositories: figures and names, no text of any item. Member names are a contract. */
import type { CapOrigin } from '../../contract/bundle.js';
import type { Code } from '../../contract/codes.js';

/** Milliseconds of one round over the whole repository. */
export interface RoundFigures {
  /** From the first name that was listed to the last bundle that was sealed. */
  readonly wall_ms: number;
  readonly plan_ms: number;
  /** Reading, scanning, and looking for echoes; these go on side by side. */
  readonly scan_ms: number;
  /** Blanking, framing, the scan of the framed bytes, and the seal. */
  readonly seal_ms: number;
  /** Time in the engine, summed over threads. */
  readonly busy_ms: number;
}

export interface MeasuredRepository {
  readonly outcome: 'measured';
  /** As it was typed. */
  readonly name: string;
  readonly head: string;
  readonly items: number;
  /** A repository larger than one bundle is measured as several, one after the other. */
  readonly bundles: number;
  readonly raw_bytes: number;
  /** All framed bundles together. */
  readonly sealed_bytes: number;
  readonly rounds: readonly RoundFigures[];
  /** Of the round with the median wall time: 10^6 raw bytes a second. */
  readonly megabytes_per_second: number;
  /** Part of that round's time in which items were read and scanned, 0 to 1. */
  readonly scan_share: number;
  /** Part of the threads' time in the engine, 0 to 1. */
  readonly threads_use: number;
  /** Of the process since it began. */
  readonly peak_rss_bytes: number;
  readonly blanked: {
    readonly spans: number;
    readonly items: number;
    readonly by_kind: Readonly<Record<string, number>>;
  };
  readonly omitted: { readonly withheld: number; readonly binary: number; readonly too_large: number };
  readonly cap: {
    readonly bytes: number;
    readonly origin: CapOrigin;
    /** Sealed bytes to the cap. */
    readonly share: number;
    /** What a bundle of the whole repository would meet. */
    readonly outcome: 'fits' | 'OVER_CAP' | 'ITEM_TOO_LARGE';
  };
}

export interface RefusedRepository {
  readonly outcome: 'refused';
  readonly name: string;
  readonly code: Code;
  readonly message: string;
}

/** A repository that both runs measured. */
export interface ComparedRepository {
  readonly name: string;
  /** Both runs read the same commit and the same bytes. */
  readonly same_bytes: boolean;
  /** This run's speed to the earlier one's. */
  readonly speed_ratio: number;
  readonly peak_rss_ratio: number;
}

export interface BenchDocument {
  readonly outcome: 'measured' | 'refused';
  readonly coldseal: string;
  readonly at: string;
  /** `sha256:` digest of the compiled-in rules. */
  readonly rules: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memory_bytes: number;
    readonly node: string;
  };
  readonly threads: number;
  readonly repositories: readonly (MeasuredRepository | RefusedRepository)[];
  readonly compared?: {
    readonly at: string;
    readonly coldseal: string;
    readonly same_machine: boolean;
    readonly repositories: readonly ComparedRepository[];
  };
}

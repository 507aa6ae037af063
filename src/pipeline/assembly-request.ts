/** What an assembly is given and what it gives back: values, functions and ports, nothing that knows where they come from. */
import type { BundleDescription } from '../bundle/describe-bundle.js';
import type { BlankedBytes, Cap, SealedBundle } from '../contract/bundle.js';
import type { ColdsealError } from '../contract/error.js';
import type { ItemPlan, LoadedItem } from '../contract/item.js';
import type { Observe } from '../contract/observer.js';
import type { ScanProfile } from '../contract/rule.js';
import type { Scanner } from '../contract/scan.js';

export interface KnownValue {
  /** The credential's name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A shorter credential would blank ordinary words. */
export const SHORTEST_CREDENTIAL_BYTES = 8;

export interface AssemblyRequest {
  readonly plan: ItemPlan;
  /** Batches in any order, each item once, withheld and binary ones with the line that keeps their place. */
  readonly openItems: (signal: AbortSignal) => AsyncIterable<readonly LoadedItem[]>;
  readonly scanner: Scanner;
  readonly profile: ScanProfile;
  /** The agent's definition with brief and question, as it is. The warning is added when it is not there. */
  readonly system: Uint8Array;
  readonly cap: Cap;
  /** Credential values; those under 8 bytes are not looked for. */
  readonly knownValues: readonly KnownValue[];
  /** True for a value the owner allowed under this rule, by fingerprint. */
  readonly isAllowed: (ruleId: string, value: Uint8Array) => boolean;
  readonly project: string | null;
  /** Where scanning stops: the cap for a send, 4 times the cap for a plan. Never below the cap. */
  readonly stopAtBytes: number;
  readonly inFlightBytes: number;
  readonly signal: AbortSignal;
  readonly observe: Observe;
  readonly monotonicMs: () => number;
}

export interface AssemblyFigures {
  /** Bytes looked at, decoded views and re-scan included. */
  readonly scannedBytes: number;
  readonly scanMs: number;
  readonly sealMs: number;
}

export type AssembledBundle =
  | { readonly kind: 'sealed'; readonly bundle: SealedBundle; readonly figures: AssemblyFigures }
  /** Only where `stopAtBytes` lies over the cap: what would be refused, and the refusal. */
  | {
      readonly kind: 'over-cap';
      readonly description: BundleDescription;
      readonly system: BlankedBytes;
      readonly refusal: ColdsealError;
      readonly figures: AssemblyFigures;
    };

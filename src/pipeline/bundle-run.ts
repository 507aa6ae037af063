/** What one run is given: the send it prepares, what its record says of it, and the questions it asks on the way. */
import type { SealedBundle } from '../contract/bundle.js';
import type { Observe } from '../contract/observer.js';
import type { RecordStore } from '../contract/record.js';
import type { Credential, Transport } from '../contract/transport.js';
import type { Preparation } from './prepare-send.js';
import type { KeptAnswer, WholeAnswer } from './run-result.js';

export interface BundleRun extends Preparation {
  /** The record's id for this run. */
  readonly id: string;
  readonly verb: string;
  readonly credential: Credential | null;
  readonly denylist: readonly string[];
  /** The proxy this call will go through, without its credentials. */
  readonly proxy: string | null;
  /** Digests for the record besides those of bundle and approval, e.g. `rules`. */
  readonly digests: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  /** A provider that was never connected to may fall back to the host: a route nobody typed, a run nobody awaits by name. */
  readonly mayFallBack: boolean;
  /** One line to the person. */
  readonly say: (line: string) => void;
  /** Reads the machine file again; throws `CONSENT_CHANGED`. */
  readonly confirmConsent: () => Promise<void>;
  /** Asked once connected, right before the first byte of the body; throws the refusal that stops it. */
  readonly beforeBody?: () => Promise<void>;
  /** Makes the places of request and answer ready, before anything is said or recorded; throws `STATE_UNSAFE`. */
  readonly prepareAnswer: (bundle: SealedBundle) => Promise<void>;
  /** Judges the answer by the kind's contract and puts it where it belongs; throws the provider failure it is. */
  readonly keepAnswer: (answer: WholeAnswer, bundle: SealedBundle) => Promise<KeptAnswer>;
}

export interface RunPorts {
  readonly transport: Transport;
  readonly records: RecordStore;
  readonly observe: Observe;
}

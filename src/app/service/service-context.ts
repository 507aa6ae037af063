/** What every route group of the service is given. Plain functions and values; one of each for the life of the service. */
import type { Logger } from 'pino';
import type { Settings } from '../../contract/settings.js';
import type { RecordFolderStore } from '../../record/open-record-store.js';
import type { Gate } from '../gate/open-gate.js';
import type { Surroundings } from '../surroundings.js';
import type { RecordedRuns } from './recorded-runs.js';
import type { RequestWords, RunDesk } from './run-desk.js';
import type { ServiceMetrics } from './service-metrics.js';
import type { SharedScanner } from './shared-scanner.js';

export interface ServiceContext {
  /** The owner's settings as they are now: read anew by every call. `CONFIG_*`. */
  readonly readSettings: () => Promise<Settings>;
  /** For one request: its folder, its signal, its line to the person; threads and record store are the service's own. */
  readonly surroundingsOf: (request: RequestWords) => Surroundings;
  /** The real path of a repository that a request may name. `USAGE`, `NOT_A_REPOSITORY`. */
  readonly allowedRepository: (path: string) => Promise<string>;
  readonly scanner: SharedScanner;
  /** The store of that folder, the same for every caller. */
  readonly recordsIn: (folder: string) => RecordFolderStore;
  readonly desk: RunDesk;
  /** Whether what is dispatched can be added to the queue, where there is one. `CREDENTIAL_MISSING`, `QUEUE_*`. */
  readonly probeQueue: () => Promise<void>;
  /** Repositories that a request may name, for whoever offers a choice. */
  readonly listRepositories: () => Promise<readonly string[]>;
  /** The folder with the built files, the page's among them. */
  readonly builtFolder: string;
  /** Chat requests of existing clients. */
  readonly gate: Gate;
  /** What the record says. */
  readonly runs: RecordedRuns;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  /** `rec-` and 26 characters. */
  readonly newRecordId: () => string;
  /** Where the service listens; `null` before it does. */
  readonly listener: () => Listener | null;
}

export type Listener =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly isTls: boolean }
  | { readonly kind: 'socket'; readonly path: string };

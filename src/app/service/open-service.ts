/**
 * Opens what a service shares between its requests: threads, record store, desk, metrics, log. What a request may do is
 * still read for each of them; only the number of threads is settled here.
 */
import { join } from 'node:path';
import type { DestinationStream, Logger } from 'pino';
import type { JobQueue } from '../../contract/job-queue.js';
import { recordRefusal } from '../../pipeline/record-refusal.js';
import { openRecordStore, type RecordFolderStore } from '../../record/open-record-store.js';
import { newRecordId } from '../../record/record-id.js';
import { createLogger } from '../../telemetry/logger.js';
import { openGate } from '../gate/open-gate.js';
import { probeQueue } from '../jobs/probe-queue.js';
import { openQueueSender } from '../jobs/send-by-queue.js';
import { openThreads } from '../open-scanner.js';
import { readMachineSettings } from '../read-settings-here.js';
import { createByteGate } from '../scan/byte-gate.js';
import { createSharedArena } from '../scan/shared-arena.js';
import type { Surroundings } from '../surroundings.js';
import { allowedRepository } from './allowed-repository.js';
import { listRepositories } from './list-repositories.js';
import { openRecordedRuns } from './recorded-runs.js';
import { openRunDesk, type RequestWords } from './run-desk.js';
import { openRunKeys } from './run-keys.js';
import type { Listener, ServiceContext } from './service-context.js';
import { openServiceMetrics } from './service-metrics.js';
import { countBytes } from './shared-scanner.js';

export interface ServiceWords {
  readonly surroundings: Surroundings;
  /** Runs at once, 1 or more. */
  readonly mostRuns: number;
  /** Where runs are done elsewhere; whoever opened it closes it. */
  readonly queue: JobQueue | null;
  readonly log: { readonly level: Logger['level']; readonly destination?: DestinationStream };
}

export interface OpenedService {
  readonly context: ServiceContext;
  readonly setListener: (listener: Listener) => void;
  /** Ends the threads. The desk is closed before, with the time that its runs are given. */
  readonly close: () => Promise<void>;
}

/** One that is scanned, one that waits for its thread, one that is blanked. */
const BATCHES_A_THREAD = 3;

/** `CONFIG_*`, `SCANNER_DEGRADED`. */
export const openService = async ({ surroundings, mostRuns, queue, log }: ServiceWords): Promise<OpenedService> => {
  const { now, monotonicMs, random } = surroundings;
  const readSettings = async () => (await readMachineSettings(surroundings)).settings;
  const { own } = await readSettings();
  const scanner = countBytes(await openThreads(surroundings.builtFolder, own.threads));
  const recordsFolder = async () => (await readSettings()).own.recordsFolder;
  const metrics = openServiceMetrics({ rulesDigest: scanner.rulesDigest, recordsFolder, now });

  const stores = new Map<string, RecordFolderStore>();
  const recordsIn = (folder: string): RecordFolderStore => {
    const known = stores.get(folder);
    if (known !== undefined) return known;
    const clock = (): number => now().getTime();
    const store = openRecordStore({ folder, clock, random, onWritten: metrics.recordWritten });
    stores.set(folder, store);
    return store;
  };

  const shared = {
    sharedScanner: scanner,
    sharedRecords: recordsIn,
    sharedArena: createSharedArena(2 * own.inFlightBytes),
    sharedGate: createByteGate(own.inFlightBytes, BATCHES_A_THREAD * own.threads),
  };
  const surroundingsOf = (request: RequestWords): Surroundings => ({ ...surroundings, ...request, ...shared });
  const makeId = (): string => newRecordId(random);
  let isEnding = (): boolean => false;
  const elsewhere =
    queue === null ? null : openQueueSender({ queue, surroundings, readSettings, isClosing: () => isEnding() });
  const desk = openRunDesk({
    elsewhere,
    surroundingsOf,
    keys: openRunKeys(
      async () => join(await recordsFolder(), 'keys'),
      () => Buffer.from(random(8)).toString('hex'),
    ),
    newRecordId: makeId,
    recordRefusal: async (id, { verb, kind }, error) => {
      const present = await readSettings().catch(() => null);
      if (present === null) return;
      const refused = { id, verb, error, route: null, kind, project: null };
      await recordRefusal(recordsIn(present.own.recordsFolder), refused, () => undefined);
    },
    now,
    most: mostRuns,
    // One more than there are threads: the next bundle is read while the last one is blanked.
    turns: own.threads + 1,
  });
  isEnding = desk.isClosing;
  metrics.watch({
    poolThreads: () => scanner.stats().threads,
    poolThreadsBusy: () => scanner.stats().threadsBusy,
    queueDepth: () => desk.waiting(),
    inFlightBytes: () => scanner.bytesUnderWay(),
    workerRestarts: () => scanner.stats().restarts,
    jobs: () => queue?.counts() ?? Promise.resolve(null),
  });

  let listener: Listener | null = null;
  const logger = createLogger({
    level: log.level as 'info',
    ...(log.destination ? { destination: log.destination } : {}),
  });
  const gate = openGate({
    surroundings: surroundingsOf({
      folder: '/',
      say: (line) => logger.warn({}, line),
      signal: surroundings.signal,
    }),
    scanner,
    arena: shared.sharedArena,
    listener: () => (listener?.kind === 'tcp' ? listener : null),
  });
  const context: ServiceContext = {
    readSettings,
    surroundingsOf,
    allowedRepository: async (path) => allowedRepository(path, await readSettings()),
    listRepositories: async () => listRepositories(await readSettings()),
    builtFolder: surroundings.builtFolder,
    scanner,
    recordsIn,
    desk,
    probeQueue: () => (queue === null ? Promise.resolve() : probeQueue(surroundings, queue)),
    runs: openRecordedRuns(recordsFolder),
    metrics,
    gate,
    log: logger,
    now,
    monotonicMs,
    newRecordId: makeId,
    listener: () => listener,
  };
  return {
    context,
    setListener: (at) => {
      listener = at;
    },
    close: async () => {
      await elsewhere?.close();
      await scanner.close();
    },
  };
};

/**
 * The service's `/metrics`. Figures of runs come from the record store alone, row by row as they are written, so a run of
 * the command line counts like one of the service and none counts twice; only plans, which leave no row, are counted as
 * they end. What only this process knows is asked of it at each scrape.
 */
import type { Registry } from 'prom-client';
import { VERSION } from '../../contract/version.js';
import { followRows, type RowFollower } from '../../record/follow-rows.js';
import { countEnd } from '../../telemetry/count-run.js';
import { createMetrics } from '../../telemetry/metrics.js';
import { createRecordCounter } from '../../telemetry/record-counter.js';

export interface ServiceMetrics {
  /** Prometheus text. `RECORD_UNWRITABLE` when the store cannot be read. */
  read(): Promise<string>;
  readonly contentType: string;
  /** A plan leaves no row. */
  planned(kind: string): void;
  recordWritten(durationMs: number): void;
  /** Where the figures of this process come from. */
  watch(figures: ProcessFigures): void;
}

type Made = ReturnType<typeof createMetrics>;
export type ProcessFigures = Parameters<Made['process']['watch']>[0];

/** No call may take longer (`coldseal.providers.<name>.timeout`): a start without an end is then nobody's any more. */
const LONGEST_RUN_MS = 25 * 60 * 60 * 1000;

export interface ServiceMetricsWords {
  readonly rulesDigest: string;
  readonly recordsFolder: () => Promise<string>;
  readonly now: () => Date;
}

export const openServiceMetrics = ({ rulesDigest, recordsFolder, now }: ServiceMetricsWords): ServiceMetrics => {
  const made = createMetrics({ version: VERSION, rules: rulesDigest });
  const registry: Registry = made.registry;
  const counter = createRecordCounter(made.run);
  const followers = new Map<string, RowFollower>();
  let reading: Promise<void> = Promise.resolve();

  const catchUp = async (): Promise<void> => {
    const folder = await recordsFolder();
    const follower = followers.get(folder) ?? followRows({ folder });
    followers.set(folder, follower);
    for await (const row of follower.next()) counter.add(row);
    counter.lapse(now().getTime() - LONGEST_RUN_MS);
  };

  return {
    read: async () => {
      // One at a time: two scrapes at once must not count a row twice.
      const turn = reading.then(catchUp);
      reading = turn.catch(() => undefined);
      await turn;
      return registry.metrics();
    },
    contentType: registry.contentType,
    planned: (kind) => countEnd(made.run, kind, 'planned', null),
    recordWritten: made.process.recordWritten,
    watch: made.process.watch,
  };
};

/**
 * The newest runs of the record in memory, so that a list and a search read only what was added since the last one. Holds
 * summaries alone, and of those a fixed number: an older run is still found by its id.
 */

import type { RunSummary } from '../../contract/documents.js';
import { followRows, type RowFollower } from '../../record/follow-rows.js';
import { addRow } from '../../record/run-summary.js';

export interface RunQuery {
  /** 1 or more. */
  readonly limit: number;
  /** Begin behind this run: the `next` of the page before. */
  readonly after?: string | undefined;
  readonly kind?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  /** The earliest and the latest beginning; ISO 8601 in UTC with milliseconds, as records write it. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Stands in the id or another word of the run, in any letter case. */
  readonly q?: string | undefined;
}

export interface RunPage {
  /** The newest first. */
  readonly records: RunSummary[];
  /** `after` of the next page, or `null`. */
  readonly next: string | null;
  /** Runs that fit the query. */
  readonly found: number;
}

export interface RunIndex {
  /** `RECORD_UNWRITABLE` when the store cannot be read. */
  list(query: RunQuery): Promise<RunPage>;
}

const MOST_RUNS = 50_000;

interface Followed {
  readonly follower: RowFollower;
  readonly runs: Map<string, RunSummary>;
}

export const openRunIndex = (recordsFolder: () => Promise<string>): RunIndex => {
  const stores = new Map<string, Followed>();
  let reading: Promise<unknown> = Promise.resolve();

  const catchUp = async (): Promise<ReadonlyMap<string, RunSummary>> => {
    const folder = await recordsFolder();
    const { follower, runs } = stores.get(folder) ?? { follower: followRows({ folder }), runs: new Map() };
    stores.set(folder, { follower, runs });
    for await (const row of follower.next()) {
      const summary = addRow(runs.get(row.id), row);
      if (summary !== null) runs.set(row.id, summary);
      const oldest = runs.size > MOST_RUNS ? runs.keys().next().value : undefined;
      if (oldest !== undefined) runs.delete(oldest);
    }
    return runs;
  };

  return {
    list: async (query) => {
      const turn = reading.then(catchUp);
      reading = turn.catch(() => undefined);
      return pageOf([...(await turn).values()].reverse(), query);
    },
  };
};

const pageOf = (
  newestFirst: readonly RunSummary[],
  { limit, after, q, kind, outcome, code, since, until }: RunQuery,
): RunPage => {
  const sought = q?.toLowerCase();
  const found = newestFirst.filter(
    (run) =>
      (kind === undefined || run.kind === kind) &&
      (outcome === undefined || run.outcome === outcome) &&
      (code === undefined || run.code === code) &&
      (since === undefined || run.time >= since) &&
      (until === undefined || run.time <= until) &&
      (sought === undefined || wordsOf(run).some((word) => word.includes(sought))),
  );
  const start = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  const records = found.slice(start, start + limit);
  const isMore = start + records.length < found.length;
  return { records, next: isMore ? (records.at(-1)?.id ?? null) : null, found: found.length };
};

const wordsOf = ({ id, verb, kind, agent, outcome, code, project, provider, model, time }: RunSummary): string[] =>
  [id, verb, kind, agent, outcome, code, project, provider, model, time].flatMap((word) =>
    word === null ? [] : [word.toLowerCase()],
  );

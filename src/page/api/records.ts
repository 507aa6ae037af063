/** The record store over HTTP: a page of the list, one run, and whether the chain is whole. */
import type { ChainDocument, RunSummary } from '../../contract/documents.js';
import { call, callJson } from './client.js';
import type { RunRecord } from './shapes.js';

/** What a list is narrowed by; empty text narrows nothing. */
export interface RecordFilters {
  readonly q: string;
  readonly kind: string;
  readonly outcome: string;
  readonly code: string;
  /** `2026-11-30`, of the reader's zone; both days are included. */
  readonly from: string;
  readonly to: string;
}

export interface RecordList {
  /** Newest first. */
  readonly records: readonly RunSummary[];
  /** What the next, older page is asked for with. */
  readonly next: string | null;
  /** How many fit in all. */
  readonly found: number;
}

export const listRecords = (
  filters: RecordFilters,
  limit: number,
  after: string | null,
  signal: AbortSignal,
): Promise<RecordList> => {
  const { from, to, ...words } = filters;
  const query = new URLSearchParams(Object.entries(words).filter(([, value]) => value !== ''));
  if (from !== '') query.set('since', new Date(`${from}T00:00:00`).toISOString());
  if (to !== '') query.set('until', new Date(`${to}T23:59:59.999`).toISOString());
  query.set('limit', String(limit));
  if (after !== null) query.set('after', after);
  return callJson<RecordList>(`/v1/records?${query}`, { signal });
};

export const showRecord = (id: string, signal: AbortSignal): Promise<RunRecord> =>
  callJson<RunRecord>(`/v1/records/${id}`, { signal });

/** Whether the chain that this record is a part of is whole. */
export const verifyChain = (signal: AbortSignal): Promise<ChainDocument> =>
  callJson<ChainDocument>('/v1/records/verify', { signal });

/** Prometheus text. */
export const readMetricsText = async (signal: AbortSignal): Promise<string> =>
  (await call('/metrics', { accept: 'text/plain', signal })).text();

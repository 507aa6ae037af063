/** Plans and dispatches over HTTP. What may be asked for is a repository, a kind and what is its subject; never a provider or a list. */
import type { OutcomeDocument } from '../../contract/documents.js';
import { callJson } from './client.js';
import { followEvents } from './follow-events.js';
import { RequestError } from './problem.js';
import type { DispatchState, Progress } from './shapes.js';

export interface RunWords {
  /** A folder that the owner lets the service read. */
  readonly repository: string;
  readonly kind: string;
  /** `A..B`, or nothing for the kind's default. */
  readonly range?: string;
  readonly question?: string;
  readonly intent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly dispatch?: string;
  /** The approval digest of the plan that was read. */
  readonly expect?: string;
}

/** With each item's blanked text. A plan that would be refused is a plan too, when its bundle is known. */
export const makePlan = async (words: RunWords, signal: AbortSignal): Promise<OutcomeDocument> => {
  try {
    return await callJson<OutcomeDocument>('/v1/plans?text=1', { method: 'POST', body: words, signal });
  } catch (error) {
    if (error instanceof RequestError && describesBundle(error.document)) return error.document;
    throw error;
  }
};

const describesBundle = (document: unknown): document is OutcomeDocument =>
  typeof document === 'object' &&
  document !== null &&
  'outcome' in document &&
  'bundle' in document &&
  'route' in document;

/** The same key never sends twice, so a click that was made twice is one send. */
export const beginDispatch = (words: RunWords, idempotencyKey: string, signal: AbortSignal): Promise<DispatchState> =>
  callJson<DispatchState>('/v1/dispatches', { method: 'POST', body: words, idempotencyKey, isAsync: true, signal });

/** Runs of this service: those under way, and the newest that ended. */
export const listDispatches = async (signal: AbortSignal): Promise<readonly DispatchState[]> =>
  (await callJson<{ readonly dispatches: readonly DispatchState[] }>('/v1/dispatches', { signal })).dispatches;

export const cancelDispatch = async (id: string, signal: AbortSignal): Promise<void> => {
  await callJson<unknown>(`/v1/dispatches/${id}`, { method: 'DELETE', signal });
};

/** Tells every step, and the run's document at its end. */
export const followDispatch = (
  id: string,
  heard: { readonly progress: (progress: Progress) => void; readonly ended: (run: DispatchState) => void },
  signal: AbortSignal,
): Promise<void> =>
  followEvents(
    `/v1/dispatches/${id}/events`,
    (event, body) => {
      if (event === 'progress') heard.progress(body as Progress);
      if (event === 'ended') heard.ended(body as DispatchState);
    },
    signal,
  );

export interface KindRow {
  readonly kind: string;
  readonly agents: readonly string[];
  readonly inputs: readonly string[];
}

export interface ServiceFacts {
  readonly kinds: readonly KindRow[];
  /** Repositories that may be named. */
  readonly repositories: readonly string[];
}

export const readServiceFacts = async (signal: AbortSignal): Promise<ServiceFacts> => {
  const [{ kinds }, { repositories }] = await Promise.all([
    callJson<Pick<ServiceFacts, 'kinds'>>('/v1/kinds', { signal }),
    callJson<Pick<ServiceFacts, 'repositories'>>('/v1/repositories', { signal }),
  ]);
  return { kinds, repositories };
};

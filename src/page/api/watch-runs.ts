/** The service's runs as they change: a look every few seconds for new ones, and each running one's own event stream. */
import { followDispatch, listDispatches } from './runs.js';
import type { DispatchState } from './shapes.js';

const LOOK_MS = 2000;

/** Tells every change until the signal says so. Rejects when a look fails; a stream that breaks is taken up by the next. */
export const watchRuns = async (
  changed: (runs: readonly DispatchState[]) => void,
  signal: AbortSignal,
): Promise<void> => {
  const runs = new Map<string, DispatchState>();
  const followed = new Set<string>();
  const tell = () => changed([...runs.values()].sort(newestFirst));
  const follow = async (id: string): Promise<void> => {
    followed.add(id);
    try {
      await followDispatch(
        id,
        {
          progress: (progress) => {
            const run = runs.get(id);
            if (run?.state === 'running') runs.set(id, { ...run, progress });
            tell();
          },
          ended: (run) => {
            runs.set(id, run);
            tell();
          },
        },
        signal,
      );
    } catch {
      followed.delete(id);
    }
  };
  while (!signal.aborted) {
    const found = await listDispatches(signal);
    for (const id of runs.keys()) if (!found.some((run) => run.id === id)) runs.delete(id);
    for (const run of found) {
      const isFollowed = followed.has(run.id) && run.state === 'running';
      if (!isFollowed) runs.set(run.id, run);
      if (run.state === 'running' && !followed.has(run.id)) void follow(run.id);
    }
    tell();
    await pause(LOOK_MS, signal);
  }
};

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener('abort', done);
  });

const newestFirst = (a: DispatchState, b: DispatchState): number =>
  a.begun === b.begun ? (a.id < b.id ? -1 : 1) : a.begun < b.begun ? 1 : -1;

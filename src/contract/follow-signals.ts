/**
 * One signal that aborts with the first of several, let go of by hand. `AbortSignal.any` would do but for memory: its
 * signal stays alive for ever while it has a listener (Node keeps such signals in a set of its own), and each one leaves
 * something on a source that outlives it. A service makes several for each bundle.
 */

export interface FollowedSignals {
  readonly signal: AbortSignal;
  /** Aborts the signal alone, unless it is aborted. */
  abort(reason: unknown): void;
  /** Leaves the sources; the signal stays as it is. Called once its work has ended. */
  leave(): void;
}

/** Aborted at once where a source is. */
export const followSignals = (sources: readonly AbortSignal[]): FollowedSignals => {
  const own = new AbortController();
  const undo: (() => void)[] = [];
  const leave = (): void => {
    for (const stop of undo.splice(0)) stop();
  };
  const abort = (reason: unknown): void => {
    leave();
    own.abort(reason);
  };
  for (const source of sources) {
    if (source.aborted) {
      abort(source.reason);
      break;
    }
    const follow = (): void => abort(source.reason);
    source.addEventListener('abort', follow, { once: true });
    undo.push(() => source.removeEventListener('abort', follow));
  }
  return { signal: own.signal, abort, leave };
};

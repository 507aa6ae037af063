/** What a view needs before it can show anything. What was there stays in view while it is asked for again. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Problem, problemOfError } from '../api/problem.js';
import { useAttempt } from './use-attempt.js';

export type Requested<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: T }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** @param ask kept the same (`useCallback`) as long as it asks for the same; a new one is asked at once */
export const useRequest = <T>(
  ask: (signal: AbortSignal) => Promise<T>,
): { readonly state: Requested<T>; readonly again: () => void } => {
  const [state, setState] = useState<Requested<T>>({ kind: 'loading' });
  const attempt = useAttempt();
  const again = useCallback(() => {
    const signal = attempt();
    ask(signal).then(
      (value) => {
        if (!signal.aborted) setState({ kind: 'ready', value });
      },
      (error: unknown) => {
        if (!signal.aborted) setState({ kind: 'failed', problem: problemOfError(error) });
      },
    );
  }, [ask, attempt]);
  useEffect(again, [again]);
  return { state, again };
};

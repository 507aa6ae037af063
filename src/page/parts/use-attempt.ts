/** One thing at a time: beginning anew, or leaving the view, aborts what was begun before. */
import { useCallback, useEffect, useRef } from 'preact/hooks';

/** Gives the signal of a new attempt. */
export const useAttempt = (): (() => AbortSignal) => {
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  return useCallback(() => {
    current.current?.abort();
    const next = new AbortController();
    current.current = next;
    return next.signal;
  }, []);
};

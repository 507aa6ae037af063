/** Runs of this service as they happen. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Problem, problemOfError } from '../api/problem.js';
import type { DispatchState } from '../api/shapes.js';
import { watchRuns } from '../api/watch-runs.js';
import { Empty, Failed, Loading } from '../parts/notice.js';
import { RunCard } from '../parts/run-card.js';
import { useAttempt } from '../parts/use-attempt.js';
import { formatRoute } from '../route.js';

export const LiveView = () => {
  const { runs, problem, again } = useLiveRuns();
  const running = runs?.filter(({ state }) => state === 'running') ?? [];
  const ended = runs?.filter(({ state }) => state === 'ended') ?? [];
  return (
    <>
      <header class="view-head">
        <h1>Live runs</h1>
        <p class="quiet" role="status">
          {runs === null ? '' : `${running.length} under way, ${ended.length} ended since the service began`}
        </p>
      </header>
      {problem !== null && <Failed problem={problem} again={again} />}
      {problem === null && runs === null && <Loading what="runs" />}
      {runs !== null && running.length === 0 && (
        <Empty title="Nothing is under way">
          <p>
            Runs that are begun here or over the service’s API show up by themselves. Make a{' '}
            <a href={formatRoute('plan')}>plan</a> to send one.
          </p>
        </Empty>
      )}
      {running.length > 0 && (
        <ul class="cards">
          {running.map((run) => (
            <RunCard key={run.id} run={run} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <section aria-labelledby="ended-title">
          <h2 id="ended-title" class="section-title">
            Ended
          </h2>
          <ul class="cards">
            {ended.map((run) => (
              <RunCard key={run.id} run={run} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

interface LiveRuns {
  readonly runs: readonly DispatchState[] | null;
  readonly problem: Problem | null;
  readonly again: () => void;
}

const useLiveRuns = (): LiveRuns => {
  const [runs, setRuns] = useState<readonly DispatchState[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const attempt = useAttempt();
  const again = useCallback(() => {
    const signal = attempt();
    setProblem(null);
    watchRuns(setRuns, signal).catch((error: unknown) => {
      if (!signal.aborted) setProblem(problemOfError(error));
    });
  }, [attempt]);
  useEffect(again, [again]);
  return { runs, problem, again };
};

/**
 * A plan tried before sending. Its texts live in this view's memory alone: they are in no storage, no address and no
 * cache, and leaving the view lets go of them.
 */
import { useState } from 'preact/hooks';
import type { OutcomeDocument } from '../../contract/documents.js';
import { type Problem, problemOfError } from '../api/problem.js';
import { makePlan, type RunWords, readServiceFacts } from '../api/runs.js';
import { Empty, Failed, Loading } from '../parts/notice.js';
import { PlanForm } from '../parts/plan-form.js';
import { PlanResult } from '../parts/plan-result.js';
import { useAttempt } from '../parts/use-attempt.js';
import { useRequest } from '../parts/use-request.js';

type Planning =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'done'; readonly words: RunWords; readonly plan: OutcomeDocument }
  | { readonly kind: 'failed'; readonly problem: Problem };

export const PlanView = () => {
  const { state: facts, again } = useRequest(readServiceFacts);
  const [planning, setPlanning] = useState<Planning>({ kind: 'idle' });
  const attempt = useAttempt();
  const plan = (words: RunWords) => {
    const signal = attempt();
    setPlanning({ kind: 'busy' });
    makePlan(words, signal).then(
      (made) => {
        if (!signal.aborted) setPlanning({ kind: 'done', words, plan: made });
      },
      (error: unknown) => {
        if (!signal.aborted) setPlanning({ kind: 'failed', problem: problemOfError(error) });
      },
    );
  };
  return (
    <>
      <header class="view-head">
        <h1>Plan</h1>
        <p class="quiet">Everything but the call: see what would leave before it does.</p>
      </header>
      {facts.kind === 'loading' && <Loading what="kinds and repositories" />}
      {facts.kind === 'failed' && <Failed problem={facts.problem} again={again} />}
      {facts.kind === 'ready' && <PlanForm facts={facts.value} isBusy={planning.kind === 'busy'} submit={plan} />}
      {planning.kind === 'busy' && <Loading what="the plan: reading, scanning, sealing" />}
      {planning.kind === 'failed' && <Failed problem={planning.problem} />}
      {planning.kind === 'done' && <PlanResult words={planning.words} plan={planning.plan} />}
      {planning.kind === 'idle' && facts.kind === 'ready' && (
        <Empty title="No plan yet">
          <p>A plan reads, scans, blanks and seals the bundle, and sends nothing. Its text stays in this view.</p>
        </Empty>
      )}
    </>
  );
};

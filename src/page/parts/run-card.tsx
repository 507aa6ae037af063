/** One live run: its stage, how far it is, what was blanked, the cap, and a cancel that asks once more. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import { type Problem, problemOfError } from '../api/problem.js';
import { cancelDispatch } from '../api/runs.js';
import type { DispatchState, Stage } from '../api/shapes.js';
import { formatRoute } from '../route.js';
import { CapGauge } from './cap-gauge.js';
import { Time } from './fact-list.js';
import { Coded } from './notice.js';
import { OutcomeMark } from './outcome-mark.js';

const STAGES: readonly (readonly [Stage, string])[] = [
  ['plan', 'Plan'],
  ['scan', 'Scan'],
  ['seal', 'Seal'],
  ['send', 'Send'],
  ['answer', 'Answer'],
];

export const RunCard = ({ run }: { readonly run: DispatchState }) => {
  const { progress, state } = run;
  return (
    <li class="panel card" aria-label={`Run ${run.id}`}>
      <header class="card-head">
        <h3>{(run.kind ?? run.verb).replaceAll('_', ' ')}</h3>
        <OutcomeMark outcome={state === 'running' ? 'running' : (run.outcome ?? 'failed')} />
        {run.code !== undefined && <code class="code">{run.code}</code>}
        <span class="card-end">
          <a href={formatRoute('records', run.id)}>
            <code>{run.id.slice(0, 12)}…</code>
          </a>
          {state === 'running' && <CancelButton id={run.id} />}
        </span>
      </header>
      {state === 'running' && progress !== undefined && <StageLine stage={progress.stage} />}
      {run.message !== undefined && (
        <p class="card-message">
          <Coded text={printable(run.message)} />
        </p>
      )}
      {progress !== undefined && progress.cap !== null && <CapGauge bytes={progress.bundle_bytes} cap={progress.cap} />}
      <dl class="card-facts">
        {progress !== undefined && (
          <>
            <Figure name="Items" value={ofDue(progress.items, progress.items_due, showCount)} />
            <Figure name="Scanned" value={ofDue(progress.bytes, progress.bytes_due, showBytes)} />
            <Figure name="Blanked" value={showCount(progress.blanked)} />
          </>
        )}
        <div>
          <dt>Begun</dt>
          <dd>
            <Time iso={run.begun} />
          </dd>
        </div>
      </dl>
    </li>
  );
};

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{value}</dd>
  </div>
);

const ofDue = (done: number, due: number | null, show: (value: number) => string): string =>
  // What is composed on the way (a diff) has no size before it is read, so more may be done than was due.
  due === null || done > due ? show(done) : `${show(done)} of ${show(due)}`;

const StageLine = ({ stage }: { readonly stage: Stage }) => {
  const at = STAGES.findIndex(([name]) => name === stage);
  return (
    <ol class="stages" aria-label="Stages">
      {STAGES.map(([name, word], index) => (
        <li
          key={name}
          class={index < at ? 'stage-done' : index === at ? 'stage-now' : ''}
          aria-current={index === at ? 'step' : undefined}
        >
          {word}
        </li>
      ))}
    </ol>
  );
};

const CancelButton = ({ id }: { readonly id: string }) => {
  const [step, setStep] = useState<'idle' | 'asking' | 'busy'>('idle');
  const [problem, setProblem] = useState<Problem | null>(null);
  const sure = useRef<HTMLButtonElement>(null);
  // Before it is drawn: the button that was pressed becomes another one, and keeps the focus otherwise.
  useLayoutEffect(() => {
    if (step === 'asking') sure.current?.focus();
  }, [step]);
  const cancel = () => {
    setStep('busy');
    cancelDispatch(id, new AbortController().signal).catch((error: unknown) => {
      setProblem(problemOfError(error));
      setStep('idle');
    });
  };
  if (step === 'asking') {
    return (
      <>
        <button type="button" class="button button-bad" ref={sure} onClick={cancel}>
          Cancel for good
        </button>
        <button type="button" class="button" onClick={() => setStep('idle')}>
          Let it run
        </button>
      </>
    );
  }
  return (
    <>
      {problem !== null && <span role="alert">{printable(problem.message)}</span>}
      <button type="button" class="button" disabled={step === 'busy'} onClick={() => setStep('asking')}>
        {step === 'busy' ? 'Cancelling…' : 'Cancel'}
      </button>
    </>
  );
};

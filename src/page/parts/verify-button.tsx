/** Walks the chain that this record is a part of and says whether every row is as it was written. */
import { useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showNumber } from '../../contract/show-amount.js';
import { type Problem, problemOfError } from '../api/problem.js';
import { type Verification, verifyChain } from '../api/records.js';
import { shortDigest } from '../show/show-time.js';
import { useAttempt } from './use-attempt.js';

type Verifying =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'done'; readonly found: Verification }
  | { readonly kind: 'failed'; readonly problem: Problem };

export const VerifyButton = () => {
  const [state, setState] = useState<Verifying>({ kind: 'idle' });
  const attempt = useAttempt();
  const verify = () => {
    const signal = attempt();
    setState({ kind: 'busy' });
    verifyChain(signal).then(
      (found) => setState({ kind: 'done', found }),
      (error: unknown) => {
        if (!signal.aborted) setState({ kind: 'failed', problem: problemOfError(error) });
      },
    );
  };
  return (
    <>
      <span role="status" class={`verified ${toneOf(state)}`}>
        {wordsOf(state)}
      </span>
      <button type="button" class="button" onClick={verify} disabled={state.kind === 'busy'}>
        Verify the chain
      </button>
    </>
  );
};

const wordsOf = (state: Verifying): string => {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'busy':
      return 'Walking the chain…';
    case 'failed':
      return printable(`${state.problem.message} ${state.problem.wayOut}`);
    case 'done':
      return foundWords(state.found);
    default:
      return state satisfies never;
  }
};

const foundWords = ({ whole, rows, files, lastHash, break: broken }: Verification): string => {
  if (whole)
    return `Whole: ${showNumber(rows, 'row')} in ${showNumber(files, 'file')}, last hash ${shortDigest(lastHash)}`;
  return printable(`Broken at ${broken?.file ?? ''} row ${broken?.line ?? 0}: ${broken?.reason ?? ''}`);
};

const toneOf = (state: Verifying): string => {
  if (state.kind === 'done') return state.found.whole ? 'verified-same' : 'verified-other';
  return state.kind === 'failed' ? 'verified-other' : '';
};

/** Walks the chain and says whether every row is as it was written, and whether the record shown is what the chain holds. */
import { useState } from 'preact/hooks';
import type { ChainDocument } from '../../contract/documents.js';
import { printable } from '../../contract/printable.js';
import type { RecordRow } from '../../contract/record.js';
import { showNumber } from '../../contract/show-amount.js';
import { type Problem, problemOfError } from '../api/problem.js';
import { showRecord, verifyChain } from '../api/records.js';
import { compareRows, type RowsCompared } from '../show/compare-rows.js';
import { shortDigest } from '../show/show-time.js';
import { useAttempt } from './use-attempt.js';

type Verifying =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'done'; readonly found: ChainDocument; readonly compared: RowsCompared | null }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** `compared` is `null` where the chain is broken: its rows prove nothing then. */
const verifyShown = async (id: string, rows: readonly RecordRow[], signal: AbortSignal): Promise<Verifying> => {
  const found = await verifyChain(signal);
  const compared = found.whole ? compareRows(rows, (await showRecord(id, signal)).rows) : null;
  return { kind: 'done', found, compared };
};

/** `rows` are those on the screen. */
export const VerifyButton = ({ id, rows }: { readonly id: string; readonly rows: readonly RecordRow[] }) => {
  const [state, setState] = useState<Verifying>({ kind: 'idle' });
  const attempt = useAttempt();
  const verify = () => {
    const signal = attempt();
    setState({ kind: 'busy' });
    verifyShown(id, rows, signal).then(setState, (error: unknown) => {
      if (!signal.aborted) setState({ kind: 'failed', problem: problemOfError(error) });
    });
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
      return `${foundWords(state.found)}${state.compared === null ? '' : comparedWords(state.compared)}`;
    default:
      return state satisfies never;
  }
};

const foundWords = ({ whole, rows, files, last_hash: lastHash, break: broken }: ChainDocument): string => {
  if (whole)
    return `Whole: ${showNumber(rows, 'row')} in ${showNumber(files, 'file')}, last hash ${shortDigest(lastHash)}`;
  return printable(`Broken at ${broken?.file ?? ''} row ${broken?.line ?? 0}: ${broken?.reason ?? ''}`);
};

const comparedWords = (compared: RowsCompared): string => {
  switch (compared.kind) {
    case 'same':
      return `; this record’s ${showNumber(compared.rows, 'row')} as shown`;
    case 'more':
      return `; this record’s ${showNumber(compared.rows, 'row')} as shown, and ${compared.more} since: load it again`;
    case 'other':
      return `. Row ${compared.row} of this record is not as shown here: load it again and look at both`;
    default:
      return compared satisfies never;
  }
};

const toneOf = (state: Verifying): string => {
  if (state.kind === 'done') {
    return state.found.whole && state.compared?.kind !== 'other' ? 'verified-same' : 'verified-other';
  }
  return state.kind === 'failed' ? 'verified-other' : '';
};

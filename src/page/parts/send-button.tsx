/** Sends what the plan showed and nothing else: the service makes the bundle again and refuses it if it differs. */
import { useMemo, useState } from 'preact/hooks';
import { type Problem, problemOfError } from '../api/problem.js';
import { beginDispatch, type RunWords } from '../api/runs.js';
import { formatRoute } from '../route.js';
import { Failed } from './notice.js';

type Sending =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'begun'; readonly id: string }
  | { readonly kind: 'failed'; readonly problem: Problem };

export const SendButton = ({ words }: { readonly words: RunWords }) => {
  const [sending, setSending] = useState<Sending>({ kind: 'idle' });
  const idempotencyKey = useMemo(() => crypto.randomUUID(), []);
  const send = () => {
    setSending({ kind: 'busy' });
    beginDispatch(words, idempotencyKey, new AbortController().signal).then(
      ({ id }) => setSending({ kind: 'begun', id }),
      (error: unknown) => setSending({ kind: 'failed', problem: problemOfError(error) }),
    );
  };
  if (sending.kind === 'begun') {
    return (
      <p class="send-row" role="status">
        It is under way. <a href={formatRoute('live')}>Watch it</a>, or see its{' '}
        <a href={formatRoute('records', sending.id)}>record</a>.
      </p>
    );
  }
  return (
    <>
      <div class="send-row">
        <button type="button" class="button button-first" disabled={sending.kind === 'busy'} onClick={send}>
          {sending.kind === 'busy' ? 'Sending…' : 'Send exactly this'}
        </button>
        <p class="quiet">Anything that changed since this plan is refused.</p>
      </div>
      {sending.kind === 'failed' && <Failed problem={sending.problem} />}
    </>
  );
};

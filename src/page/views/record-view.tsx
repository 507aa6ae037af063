/** One run: how it ended and why, where it went, what the bundle held, and whether it can be made the same again. */
import { useCallback } from 'preact/hooks';
import { CODES } from '../../contract/codes.js';
import { printable } from '../../contract/printable.js';
import type { RecordRow } from '../../contract/record.js';
import { showCount, showDuration } from '../../contract/show-amount.js';
import { showRecord } from '../api/records.js';
import type { RunRecord } from '../api/shapes.js';
import { BundleView } from '../parts/bundle-view.js';
import { CopyButton } from '../parts/copy-button.js';
import { Digest, type Fact, FactList, Time } from '../parts/fact-list.js';
import { Coded, Failed, Loading } from '../parts/notice.js';
import { OutcomeMark } from '../parts/outcome-mark.js';
import { RowList } from '../parts/row-list.js';
import { useRequest } from '../parts/use-request.js';
import { VerifyButton } from '../parts/verify-button.js';
import { formatRoute } from '../route.js';

export const RecordView = ({ id }: { readonly id: string }) => {
  const { state, again } = useRequest(useCallback((signal: AbortSignal) => showRecord(id, signal), [id]));
  return (
    <>
      <p class="crumb">
        <a href={formatRoute('records')}>Records</a> <span aria-hidden="true">/</span> <code>{id}</code>
      </p>
      {state.kind === 'loading' && <Loading what="the record" />}
      {state.kind === 'failed' && <Failed problem={state.problem} again={again} />}
      {state.kind === 'ready' && <Shown record={state.value} />}
    </>
  );
};

type RowOf<E extends RecordRow['event']> = Extract<RecordRow, { readonly event: E }>;
const rowOf = <E extends RecordRow['event']>(rows: readonly RecordRow[], event: E): RowOf<E> | null =>
  rows.find((row): row is RowOf<E> => row.event === event) ?? null;

const Shown = ({ record: { summary, rows } }: { readonly record: RunRecord }) => {
  const start = rowOf(rows, 'start');
  const bundle = start?.bundle ?? null;
  return (
    <>
      <header class="view-head">
        <h1>{(summary.kind ?? summary.verb).replaceAll('_', ' ')}</h1>
        <OutcomeMark outcome={summary.outcome} />
        {summary.code !== null && <code class="code">{summary.code}</code>}
        <span class="view-head-end">
          <CopyButton text={summary.id} what="the record’s id" />
          <VerifyButton id={summary.id} rows={rows} />
        </span>
      </header>
      <Reason record={{ summary, rows }} />
      <section class="panel" aria-labelledby="facts-title">
        <h2 id="facts-title" class="hidden">
          Route, times and digests
        </h2>
        <FactList facts={factsOf({ summary, rows })} />
      </section>
      {bundle !== null && <BundleView bundle={bundle} />}
      <RowList rows={rows} />
    </>
  );
};

/** Why it was refused or failed, with the figures that the refusal named. */
const Reason = ({ record: { summary, rows } }: { readonly record: RunRecord }) => {
  if (summary.code === null) {
    if (summary.outcome !== 'unknown') return null;
    return <p class="reason">It has a start and no end: the program was ended, or is still at it.</p>;
  }
  const { meaning, wayOut } = CODES[summary.code];
  const facts = Object.entries(rowOf(rows, 'refused')?.facts ?? {});
  return (
    <div class="reason">
      <p class="reason-title">
        <Coded text={meaning} />
      </p>
      <p>
        <Coded text={wayOut} />
      </p>
      {facts.length > 0 && (
        <FactList
          facts={facts.map(([name, value]) => ({
            name: name.replaceAll('_', ' '),
            value: typeof value === 'number' ? showCount(value) : <code>{printable(String(value))}</code>,
          }))}
        />
      )}
    </div>
  );
};

const factsOf = ({ summary, rows }: RunRecord): readonly Fact[] => {
  const start = rowOf(rows, 'start');
  const end = rowOf(rows, 'end');
  const route = start?.route ?? rowOf(rows, 'refused')?.route ?? rowOf(rows, 'host')?.route ?? null;
  const bundle = start?.bundle ?? null;
  return [
    { name: 'Started', value: <Time iso={summary.time} /> },
    { name: 'Ended', value: end === null ? null : <Time iso={end.time} /> },
    { name: 'Scan', value: durationOf(start?.durations_ms['scan']) },
    { name: 'Provider', value: durationOf(end?.durations_ms['provider']) },
    { name: 'Attempts', value: summary.attempts > 1 ? showCount(summary.attempts) : null },
    { name: 'Agent', value: route?.agent ?? null },
    { name: 'Went to', value: summary.outcome === 'refused' && route?.provider === null ? null : destinationOf(route) },
    { name: 'Model', value: modelOf(route?.model_asked ?? null, end?.model_reported) },
    { name: 'Route set by', value: route === null || route.origin === 'none' ? null : route.origin },
    { name: 'Credential', value: route?.credential === undefined ? null : <code>{route.credential}</code> },
    { name: 'Tokens', value: tokensOf(end?.usage) },
    { name: 'Project', value: summary.project === null ? null : <Hash hash={summary.project} /> },
    { name: 'Range', value: bundle?.range === undefined ? null : <Range {...bundle.range} /> },
    { name: 'List', value: bundle === null ? null : `${bundle.list_origin} list` },
    { name: 'Bundle', value: bundle === null ? null : <Digest digest={bundle.digest} what="the bundle’s digest" /> },
    {
      name: 'Approval',
      value: bundle === null ? null : <Digest digest={bundle.approval} what="the approval digest" />,
    },
  ];
};

const durationOf = (durationMs: number | undefined) => (durationMs === undefined ? null : showDuration(durationMs));

const destinationOf = (route: { readonly provider: string | null; readonly host?: string } | null) => {
  if (route === null) return null;
  if (route.provider === null) return 'the host decides';
  return (
    <>
      {route.provider} {route.host !== undefined && <span class="faint">{printable(route.host)}</span>}
    </>
  );
};

const modelOf = (asked: string | null, reported: string | undefined) => {
  if (asked === null) return null;
  return (
    <>
      <code>{printable(asked)}</code>
      {reported !== undefined && reported !== asked && <span class="faint"> answered as {printable(reported)}</span>}
    </>
  );
};

const tokensOf = (usage: Readonly<Record<string, number>> | undefined) => {
  const sent = usage?.['prompt_tokens'];
  if (sent === undefined) return null;
  return `${showCount(sent)} read, ${showCount(usage?.['completion_tokens'] ?? 0)} answered`;
};

const Hash = ({ hash }: { readonly hash: string }) => <code title={hash}>{hash.slice(0, 12)}</code>;

const Range = ({ base, head }: { readonly base: string; readonly head: string }) => (
  <code title={`${base}..${head}`}>
    {base.slice(0, 10)}..{head.slice(0, 10)}
  </code>
);

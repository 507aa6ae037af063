/** One recorded run for a person. Attempts send the same bundle again, so it stands there once. */
import type { RunRecord } from '../app/record-reading.js';
import { CODES, type Code } from '../contract/codes.js';
import { printable } from '../contract/printable.js';
import { showCount, showDuration, showNumber } from '../contract/show-amount.js';
import { formatTable } from './tables.js';

type Row = RunRecord['rows'][number];
type StartRow = Extract<Row, { readonly event: 'start' }>;
type RefusedRow = Extract<Row, { readonly event: 'refused' }>;
type EndRow = Extract<Row, { readonly event: 'end' }>;
type Bundle = NonNullable<StartRow['bundle']>;

/** The lines, without line ends. */
export const describeRun = ({ summary, rows }: RunRecord): readonly string[] => [
  `record    ${summary.id}`,
  `time      ${summary.time}`,
  `verb      ${summary.verb}${summary.kind === null ? '' : ` (${summary.kind})`}`,
  `outcome   ${summary.code === null ? summary.outcome : `${summary.outcome} (${summary.code})`}${summary.outcome === 'unknown' ? ': a start without an end; the run was killed or is still at it' : ''}`,
  ...(summary.provider === null ? [] : [`provider  ${summary.provider}, model ${summary.model ?? ''}`]),
  `rows      ${rows.length}`,
  ...rows.flatMap((row) => (row.event === 'start' ? [`attempt   ${row.attempt} at ${row.time}`] : [])),
  ...rows.flatMap((row) => (row.event === 'end' ? endLines(row) : [])),
  ...(summary.code === null ? [] : codeLines(summary.code)),
  ...rows.flatMap((row) => (row.event === 'refused' ? factLines(row) : [])),
  ...bundlesOf(rows).flatMap(bundleLines),
];

/** Each bundle once: were two attempts ever to differ, both are shown. */
const bundlesOf = (rows: readonly Row[]): readonly Bundle[] => {
  const byApproval = new Map<string, Bundle>();
  for (const row of rows) {
    if (row.event === 'start' && row.bundle !== null) byApproval.set(row.bundle.approval, row.bundle);
  }
  return [...byApproval.values()];
};

/** The message of the run quotes names and is not kept; what the code says of every such run stands for it. */
const codeLines = (code: Code): readonly string[] => [
  `what      ${CODES[code].meaning}`,
  `way out   ${CODES[code].wayOut}`,
];

const factLines = ({ facts }: RefusedRow): readonly string[] => {
  const shown = Object.entries(facts).map(([name, value]) => `${name} ${printable(String(value))}`);
  return shown.length === 0 ? [] : [`facts     ${shown.join(', ')}`];
};

const endLines = ({ time, durations_ms: durations, usage, finish_reason: reason, answer_bytes: bytes }: EndRow) => {
  const parts = [
    ...(durations['provider'] === undefined ? [] : [`after ${showDuration(durations['provider'])}`]),
    ...(bytes === undefined ? [] : [`answer of ${showNumber(bytes, 'byte')}`]),
    ...(reason === undefined || reason === null ? [] : [`finish reason ${reason}`]),
    ...Object.entries(usage ?? {}).map(([name, count]) => `${name.replace('_', ' ')} ${showCount(count)}`),
  ];
  return [`end       ${time}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`];
};

const bundleLines = (bundle: Bundle): readonly string[] => [
  `bundle    ${showNumber(bundle.items.length, 'item')}, ${showCount(bundle.bytes)} bytes of ${showCount(bundle.cap)} (${bundle.cap_origin}), ${bundle.digest}`,
  `approval  ${bundle.approval}`,
  ...formatTable(
    [{ head: 'item' }, { head: 'input' }, { head: 'bytes', align: 'right' }, { head: 'name' }, { head: '' }],
    bundle.items.map((item) => [
      item.id,
      item.input,
      showCount(item.bytes),
      item.path ?? item.label ?? '',
      item.omitted ?? '',
    ]),
    null,
  ),
  ...(bundle.blanked.length === 0 ? ['blanked   nothing'] : ['blanked', ...blankedLines(bundle)]),
];

const blankedLines = ({ blanked }: Bundle): readonly string[] =>
  formatTable(
    [{ head: 'item' }, { head: 'line', align: 'right' }, { head: 'kind' }, { head: 'rule' }],
    blanked.map(({ item, line, kind, rule }) => [item, String(line), kind, rule]),
    null,
  );

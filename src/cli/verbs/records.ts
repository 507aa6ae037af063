/** `coldseal records list|show|verify|export`. */
import {
  exportStore,
  listRuns as listStored,
  type RunRecord,
  showRun as showStored,
  verifyStore,
} from '../../app/record-reading.js';
import { ColdsealError } from '../../contract/error.js';
import { showBytes, showCount } from '../show-amount.js';
import { formatTable } from '../tables.js';
import { textOption, type VerbAction } from '../verb-context.js';

const DEFAULT_LIMIT = 1000;

const limitOf = (typed: string | null): number => {
  if (typed === null) return DEFAULT_LIMIT;
  const limit = Number(typed);
  if (!/^[1-9]\d{0,6}$/.test(typed)) throw new ColdsealError('USAGE', '--limit takes a whole number from 1 to 9999999');
  return limit;
};

export const listRuns: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const runs = await listStored(surroundings, limitOf(textOption(words, 'limit')));
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ records: runs })}\n`);
    return 0;
  }
  const rows = runs.map((run) => [
    run.id,
    run.time,
    run.verb,
    run.code === null ? run.outcome : `${run.outcome} (${run.code})`,
    run.provider ?? '-',
    run.items === null ? '-' : showCount(run.items),
    run.bytes === null ? '-' : showBytes(run.bytes),
    run.blanked === null ? '-' : showCount(run.blanked),
  ]);
  const heads = ['record', 'time', 'verb', 'outcome', 'provider', 'items', 'bytes', 'blanked'].map((head, at) =>
    at < 5 ? { head } : { head, align: 'right' as const },
  );
  if (rows.length === 0) terminal.say('coldseal: there is no record yet');
  else await terminal.write(`${formatTable(heads, rows, null).join('\n')}\n`);
  return 0;
};

const describeRun = ({ summary, rows }: RunRecord): readonly string[] => [
  `record    ${summary.id}`,
  `time      ${summary.time}`,
  `verb      ${summary.verb}${summary.kind === null ? '' : ` (${summary.kind})`}`,
  `outcome   ${summary.code === null ? summary.outcome : `${summary.outcome} (${summary.code})`}${summary.outcome === 'unknown' ? ': a start without an end; the run was killed or is still at it' : ''}`,
  ...(summary.provider === null ? [] : [`provider  ${summary.provider}, model ${summary.model ?? ''}`]),
  `rows      ${rows.length}`,
  ...rows.flatMap((row) => {
    if (row.event !== 'start' || row.bundle === null) return [];
    const { bundle } = row;
    return [
      `bundle    ${bundle.items.length} items, ${showCount(bundle.bytes)} bytes of ${showCount(bundle.cap)} (${bundle.cap_origin}), ${bundle.digest}`,
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
      ...(bundle.blanked.length === 0 ? ['blanked   nothing'] : ['blanked']),
      ...formatTable(
        [{ head: 'item' }, { head: 'line', align: 'right' }, { head: 'kind' }, { head: 'rule' }],
        bundle.blanked.map(({ item, line, kind, rule }) => [item, String(line), kind, rule]),
        null,
      ).filter(() => bundle.blanked.length > 0),
    ];
  }),
];

export const showRun: VerbAction = async ({ flags, terminal, surroundings }, { args }) => {
  const run = await showStored(surroundings, args[0] ?? 'last');
  await terminal.write(flags.json ? `${JSON.stringify(run)}\n` : `${describeRun(run).join('\n')}\n`);
  return 0;
};

/** 0 when the chain is whole, 2 with the row where it breaks. */
export const verifyChain: VerbAction = async ({ flags, terminal, surroundings }) => {
  const found = await verifyStore(surroundings);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(found)}\n`);
    return found.whole ? 0 : 2;
  }
  for (const note of found.notes) terminal.say(`coldseal: ${note}`);
  for (const id of found.unfinished) terminal.say(`coldseal: ${id} has a start and no end: unknown`);
  if (found.break !== null)
    terminal.say(`broken at ${found.break.file}, row ${found.break.line}: ${found.break.reason}`);
  await terminal.write(
    `${found.whole ? 'whole' : 'broken'}: ${found.rows} rows in ${found.files} files, last hash ${found.lastHash}\n`,
  );
  return found.whole ? 0 : 2;
};

export const exportRows: VerbAction = async ({ terminal, surroundings }) => {
  for await (const line of exportStore(surroundings)) {
    if (terminal.isClosed()) break;
    await terminal.write(line);
  }
  return 0;
};

/** `coldseal records list|show|verify|export`. */
import {
  exportStore,
  listRuns as listStored,
  showRun as showStored,
  verifyRun,
  verifyStore,
} from '../../app/record-reading.js';
import type { ChainDocument } from '../../contract/documents.js';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount, showNumber } from '../../contract/show-amount.js';
import { describeRun } from '../describe-run.js';
import { numberOption } from '../number-option.js';
import { formatTable } from '../tables.js';
import type { VerbAction, VerbContext } from '../verb-context.js';

const DEFAULT_LIMIT = 1000;
const MOST_LISTED = 9_999_999;

export const listRuns: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const limit = numberOption(words, 'limit', '--limit', { most: MOST_LISTED }) ?? DEFAULT_LIMIT;
  const runs = await listStored(surroundings, limit);
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

export const showRun: VerbAction = async ({ flags, terminal, surroundings }, { args }) => {
  const run = await showStored(surroundings, args[0] ?? 'last');
  await terminal.write(flags.json ? `${JSON.stringify(run)}\n` : `${describeRun(run).join('\n')}\n`);
  return 0;
};

/** 0 when the chain is whole and, with an id, the bundle made again is the same; else 2, with what is wrong. */
export const verifyRecords: VerbAction = async (context, { args }) => {
  const { flags, terminal, surroundings } = context;
  const [id] = args;
  const found = id === undefined ? null : await verifyRun(surroundings, id);
  const chain = found?.chain ?? (await verifyStore(surroundings));
  const rebuilt = found?.rebuilt ?? null;
  const exit = chain.whole && (rebuilt === null || rebuilt.answer === 'same') ? 0 : 2;
  if (flags.json) {
    const document = found === null ? chain : { ...chain, id: found.id, bundle: rebuilt };
    await terminal.write(`${JSON.stringify(document)}\n`);
    return exit;
  }
  await tellChain(context, chain);
  if (rebuilt === null) return exit;
  const { answer, what, notes } = rebuilt;
  for (const note of notes) terminal.say(`coldseal: ${printable(note)}`);
  await terminal.write(`bundle: ${answer}${what === undefined ? '' : `: ${what}`}\n`);
  return exit;
};

const tellChain = async ({ terminal }: VerbContext, found: ChainDocument): Promise<void> => {
  for (const note of found.notes) terminal.say(`coldseal: ${note}`);
  for (const id of found.unfinished) terminal.say(`coldseal: ${id} has a start and no end: unknown`);
  if (found.break !== null)
    terminal.say(`broken at ${found.break.file}, row ${found.break.line}: ${found.break.reason}`);
  await terminal.write(
    `${found.whole ? 'whole' : 'broken'}: ${showNumber(found.rows, 'row')} in ${showNumber(found.files, 'file')}, last hash ${found.last_hash}\n`,
  );
};

export const exportRows: VerbAction = async ({ flags, terminal, surroundings }) => {
  if (flags.json) throw new ColdsealError('USAGE', 'export writes one JSON document a row; leave --json out');
  for await (const line of exportStore(surroundings)) {
    if (terminal.isClosed()) break;
    await terminal.write(line);
  }
  return 0;
};

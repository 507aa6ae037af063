/** `coldseal bench`: repositories through the whole pipeline, measured; nothing is sent and nothing is recorded. */
import { resolve } from 'node:path';
import { readEarlierRun } from '../../app/bench/earlier-run.js';
import { type BenchWords, runBench } from '../../app/bench/run-bench.js';
import { CODES } from '../../contract/codes.js';
import { showNumber } from '../../contract/show-amount.js';
import { benchTable, refusedOnly } from '../bench-table.js';
import { numberOption } from '../number-option.js';
import { benchPage } from '../report-bench-html.js';
import { textOption, type VerbAction } from '../verb-context.js';
import { requireWritable, writeOwnFile } from '../write-own-file.js';

const DEFAULT_ROUNDS = 3;
const MOST_ROUNDS = 1000;
const MOST_THREADS = 256;

export const bench: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const rounds = numberOption(words, 'rounds', '--rounds', { most: MOST_ROUNDS }) ?? DEFAULT_ROUNDS;
  const threads = numberOption(words, 'threads', '--threads', { most: MOST_THREADS });
  const compare = textOption(words, 'compare');
  const html = textOption(words, 'html');
  if (html !== null) await requireWritable(surroundings.folder, html, '--html');
  const earlier = compare === null ? null : await readEarlierRun(resolve(surroundings.folder, compare));
  const asked: BenchWords = { repositories: words.args, rounds, threads, earlier };
  if (!flags.quiet) {
    const repositories = showNumber(Math.max(1, words.args.length), 'folder');
    terminal.say(`coldseal: measures ${repositories}, ${showNumber(rounds, 'round')} each`);
  }
  const document = await runBench(surroundings, asked);
  if (html !== null) await writeOwnFile(surroundings.folder, html, Buffer.from(benchPage(document)), '--html');
  const columns = terminal.stderrIsTty ? terminal.columns : null;
  if (flags.json) await terminal.write(`${JSON.stringify(document)}\n`);
  else await terminal.write(`${benchTable(document, columns).join('\n')}\n`);
  const [refused] = refusedOnly(document.repositories);
  return refused === undefined ? 0 : CODES[refused.code].exit;
};

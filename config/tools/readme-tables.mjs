// Writes the README's tables from the code's own tables, between `<!-- table: NAME -->` and `<!-- end -->`.
// With --check it changes nothing and fails when the README is not what the code says, or holds no table at all.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run-program.mjs';

const ask = (...words) => {
  const done = spawnSync(process.execPath, ['dist/cli.js', ...words, '--json'], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`coldseal ${words.join(' ')} ended with ${done.status}: ${done.stderr}`);
  return JSON.parse(done.stdout);
};

// Inside backticks Markdown shows an entity as it is typed, so `<` is escaped outside of them alone.
const cell = (text) =>
  String(text)
    .replaceAll('|', '\\|')
    .split('`')
    .map((part, at) => (at % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const codeRows = (outcome) =>
  ask('explain')
    .codes.filter((row) => row.outcome === outcome)
    .map((row) => [`\`${row.code}\``, row.http, row.meaning, row.way_out]);

const makers = {
  refusals: () => table(['code', 'HTTP', 'what it is', 'what changes it'], codeRows('refused')),
  failures: () => table(['code', 'HTTP', 'what it is', 'what changes it'], codeRows('provider_failed')),
  kinds: () =>
    table(
      ['kind', 'agents', 'inputs, in order'],
      ask('kinds').kinds.map((row) => [`\`${row.kind}\``, row.agents.join(', '), row.inputs.join(', ')]),
    ),
};

const file = join(root, 'README.md');
const before = readFileSync(file, 'utf8');
let made = 0;
const after = before.replace(/(<!-- table: ([a-z]+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, open, name, close) => {
  const make = makers[name];
  if (!make) throw new Error(`README.md asks for a table ${name} that nobody makes`);
  made += 1;
  return `${open}\n${make()}\n\n${close}`;
});
if (made !== Object.keys(makers).length)
  throw new Error(`README.md holds ${made} of ${Object.keys(makers).length} tables`);
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('README.md differs from the code’s tables; run `node config/tools/readme-tables.mjs`');
    process.exit(1);
  }
} else {
  writeFileSync(file, after);
}
console.log(`${made} tables`);

// `npm test`: installs what is missing, builds, runs every check and every test, and ends with one plain line.
// Each check counts as one; a check that looked at nothing is a failure of its own (see check-layers.mjs).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installWhatIsMissing } from './install.mjs';
import { binary, run, statusOf } from './run-program.mjs';

installWhatIsMissing();
run(process.execPath, ['config/tools/build.mjs']);

const checks = [
  [
    'format and lint',
    binary('biome'),
    ['ci', '--config-path=config/biome.settings.json', '--error-on-warnings', '--colors=off', '.'],
  ],
  ['types', binary('tsc'), ['-p', 'tsconfig.json']],
  ['types of the page', binary('tsc'), ['-p', 'config/tsconfig.page.json']],
  ['layers', process.execPath, ['config/tools/check-layers.mjs']],
  ['dead code', binary('knip'), ['--config', 'config/knip.json', '--no-progress']],
  ['rules', process.execPath, ['dist/cli.js', 'rules', 'check']],
  ['README tables', process.execPath, ['config/tools/readme-tables.mjs', '--check']],
];

let passed = 0;
let failed = 0;
let skipped = 0;
for (const [name, program, words] of checks) {
  const ok = statusOf(program, words) === 0;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
  if (ok) passed += 1;
  else failed += 1;
}

const folder = mkdtempSync(join(tmpdir(), 'coldseal-tests-'));
const report = join(folder, 'vitest.json');
try {
  const status = statusOf(binary('vitest'), [
    'run',
    '--config',
    'config/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ]);
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  skipped += result.numPendingTests + result.numTodoTests;
  // A file that could not be loaded, or a rejection nobody waited for, fails the run without failing a test.
  if (status !== 0 && result.numFailedTests === 0) failed += 1;
  if (result.numTotalTests === 0) failed += 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// Everything here can run wherever Node runs, so a skipped test is a failure in CI.
if (skipped > 0 && process.env.CI) failed += skipped;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);

/** What a small scan loads: a library of another verb in its start is paid by every run, and nobody would see why. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestFolder } from '../support/make-repository.js';
import { runColdseal } from '../support/run-coldseal.js';

let folder: string;

beforeAll(() => {
  folder = makeTestFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packages that the program's own modules import in this run, in alphabetical order. */
const packagesOf = async (words: readonly string[], input: string): Promise<readonly string[]> => {
  const ledger = join(folder, 'imports');
  writeFileSync(ledger, '');
  writeFileSync(
    join(folder, 'hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
export const resolve = (specifier, context, next) => {
  appendFileSync(${JSON.stringify(ledger)}, specifier + '\\n');
  return next(specifier, context);
};
`,
  );
  const preload = join(folder, 'preload.mjs');
  writeFileSync(preload, `import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n`);
  const environment = { NODE_OPTIONS: `--import=${preload}` };
  const run = await runColdseal(words, { home: folder, folder, input, environment });
  expect([run.exit, run.stderr]).toEqual([0, expect.stringContaining('scanned 1 file')]);
  const names = readFileSync(ledger, 'utf8').split('\n');
  const isPackage = (name: string): boolean => /^[@a-z]/.test(name) && !name.includes(':') && !isBuiltin(name);
  return [...new Set(names.filter(isPackage))].sort();
};

test('a scan of standard input loads the words, the colours and the threads, and no other library', async () => {
  expect(await packagesOf(['scan', '-'], 'a line of text\n')).toEqual(['commander', 'picocolors', 'piscina']);
});

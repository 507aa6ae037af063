/** `coldseal demo`: the whole way with planted secrets, that nothing of it stays, and that nothing of the caller's is used. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTestFolder } from '../support/make-repository.js';
import { runColdseal } from '../support/run-coldseal.js';

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
  for (const name of ['home', 'temporary']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options = () => ({
  home: join(folder, 'home'),
  folder,
  environment: { TMPDIR: join(folder, 'temporary'), https_proxy: 'http://127.0.0.1:9' },
});
const left = (): readonly string[] => ['home', 'temporary'].flatMap((name) => readdirSync(join(folder, name)));

it('shows plan, send, what was received, record and chain, and leaves nothing behind', async () => {
  const ran = await runColdseal(['demo'], options());
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  const due = [
    '$ coldseal scan',
    '$ coldseal review --plan',
    'leaves this machine for sandbox.coldseal.example',
    '$ coldseal review\n',
    'coldseal: change_review: sends 6 items, ',
    'withheld: .env',
    "+const fallback = '[blanked token:github_pat #1]';",
    'none of the 4 is in the ',
    '$ coldseal records show last',
    'outcome   sent',
    'whole: 2 rows in 1 file',
  ];
  const places = due.map((text) => ran.stdout.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(ran.stdout).not.toMatch(new RegExp('ghp' + '_\\w{36}'));
  expect(left()).toEqual([]);
});

it('removes everything when it is interrupted', async () => {
  const ran = await runColdseal(['demo'], {
    ...options(),
    onStart: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  });
  expect(ran.exit).toBe(130);
  expect(left()).toEqual([]);
});

it('is for a person', async () => {
  const ran = await runColdseal(['demo', '--json'], options());
  expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([2, { code: 'USAGE' }]);
});

/**
 * A text that holds more findings than are held of one text is refused by that bound, and named; the files beside it are
 * scanned. A bundle with such an item is refused as a whole.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_FINDINGS_IN_TEXT } from '../../src/contract/item-bounds.js';
import { expandExample } from '../../src/rules/expand-example.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

let home: ProgramHome;
let repository: MadeRepository;

const TOKEN = expandExample('{github:ghp}', 'one of many');
const FULL = `${TOKEN}\n`.repeat(MOST_FINDINGS_IN_TEXT + 1);

beforeAll(() => {
  home = makeProgramHome({ oracle: { bundles: { cap: '64 MiB' } } });
  repository = makeRepository();
  repository.commit('first', { 'a-clean.txt': 'nothing\n', 'z-one.txt': `x = "${TOKEN}"\n` });
  writeFileSync(join(repository.folder, 'full.txt'), FULL);
});
afterAll(() => {
  home.remove();
  repository.close();
});

describe('a text of more findings than are held of one', () => {
  it('is named by a scan with the bound, and the files beside it are scanned', async () => {
    const ran = await home.run(repository.folder, ['scan', '--json']);
    const told = JSON.parse(ran.stdout) as {
      findings: { file: string }[];
      unscanned: { file: string; reason: string; detail: string }[];
      code: string;
    };
    expect(ran.exit).toBe(2);
    expect(told.code).toBe('SCAN_FAILED');
    expect(told.unscanned).toMatchObject([
      { file: 'full.txt', reason: 'scan-failed', detail: expect.stringContaining('findings: more than 250000') },
    ]);
    expect(told.findings.map(({ file }) => file)).toEqual(['z-one.txt']);
  }, 120_000);

  it('refuses a bundle, naming item and bound', async () => {
    repository.commit('second', { 'full.txt': FULL });
    const { document } = await home.runJson(repository.folder, ['pack', '.']);
    expect(document).toMatchObject({ outcome: 'refused', code: 'SCAN_FAILED' });
    expect(document.message).toMatch(/^itm-0002 \(path\) full\.txt .*findings: more than 250000/);
  }, 120_000);
});

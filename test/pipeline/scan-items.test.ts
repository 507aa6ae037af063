/** How many findings are held of one bundle, and what becomes of a bundle that has more. */
import { describe, expect, it } from 'vitest';
import { scanItems } from '../../src/pipeline/scan-items.js';
import { assemblyOf, type MadeItem, sourceOf } from '../support/made-assembly.js';
import { plainScanner } from '../support/plain-scanner.js';
import { FORGE_RULE, forgeToken } from '../support/scan-fixtures.js';

const MOST = 10;
const holding = (path: string, tokens: number): MadeItem => ({ path, text: `${forgeToken(1)}\n`.repeat(tokens) });

/** Scanned one by one, so that the item that passes the bound is always the same. */
const scan = (items: readonly MadeItem[]) => {
  const request = assemblyOf(items, plainScanner([FORGE_RULE]));
  return scanItems({ ...request, openItems: sourceOf(request.plan, items, 1) }, MOST);
};

describe('findings of one bundle', () => {
  it('are all held up to the bound, in however many items', async () => {
    const { heard } = await scan([holding('a.txt', 4), holding('b.txt', 6), holding('c.txt', 0)]);
    expect(heard.reduce((sum, { findings }) => sum + findings.length, 0)).toBe(MOST);
  });

  it('beyond the bound refuse, naming it and the item at which it was passed', async () => {
    const items = [holding('a.txt', 4), holding('b.txt', 6), holding('c.txt', 1)];
    await expect(scan(items)).rejects.toMatchObject({
      code: 'SCAN_FAILED',
      facts: { item: 'itm-0003', bound: 'findings', limit: MOST },
      message:
        'the bundle holds more than 10 findings, the most that are held of one bundle (findings); they passed it at itm-0003 (changed_files) c.txt. Withhold the files that are full of them with `coldseal withhold add GLOB`, or narrow the list.',
    });
  });

  it('in names count as well, and a name that holds one is not shown', async () => {
    const items = [holding('a.txt', 4), holding('b.txt', 6), { path: `${forgeToken(2)}/c.txt`, text: 'nothing\n' }];
    const refused = await scan(items).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refused).toContain('more than 10 findings');
    expect(refused).not.toContain(forgeToken(2));
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { readRows } from '../../src/record/read-rows.js';
import { verifyRecords } from '../../src/record/verify-records.js';
import { buildChild } from './build-child.js';
import { freshFolder } from './stores.js';

const RUNS_EACH = 2000;

it('keeps every row of two processes that record 2,000 runs each at the same time', { timeout: 600_000 }, async () => {
  const folder = await freshFolder();
  const child = await buildChild('test/record/children/append-rows.ts');
  onTestFinished(child.remove);
  const promised = await Promise.all([0, 1].map(() => record(child.file, folder)));
  expect(promised.map((ids) => ids.length)).toEqual([RUNS_EACH, RUNS_EACH]);

  expect(await verifyRecords({ folder })).toMatchObject({
    whole: true,
    rows: 4 * RUNS_EACH,
    notes: [],
    unfinished: [],
  });
  const events = new Map<string, string>();
  const order: string[] = [];
  for await (const row of readRows({ folder })) {
    events.set(row.id, `${events.get(row.id) ?? ''}${row.event} `);
    order.push(row.id);
  }
  expect(events.size).toBe(2 * RUNS_EACH);
  expect(promised.flat().filter((id) => events.get(id) !== 'start end ')).toEqual([]);
  // Both wrote at the same time: had one waited for the other to end, the writer would change once.
  const first = new Set(promised[0]);
  const changes = order.filter((id, at) => at > 0 && first.has(id) !== first.has(order[at - 1] ?? '')).length;
  expect(changes).toBeGreaterThan(10);
});

/** The ids of one child's runs, each printed when both of its rows were on disk. */
async function record(file: string, folder: string): Promise<readonly string[]> {
  const running = spawn(process.execPath, [file, folder, String(RUNS_EACH)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  running.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  await once(running, 'close');
  return stdout.split('\n').slice(0, -1);
}

/** The start row of a gate call: nobody is connected to before it is on disk. */
import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markOfSelf, SYSTEM_TABLE } from '../../../src/record/process-mark.js';
import { type GateWorld, MODEL, openGateWorld } from '../../support/gate-world.js';

let world: GateWorld;
let records: string;
beforeAll(async () => {
  world = await openGateWorld(() => undefined);
  records = join(world.home.home, '.abcd.noindex', 'coldseal', 'records');
});
afterAll(() => world.close());

const ask = (): Promise<Response> =>
  world.post('chat/completions', { model: MODEL, messages: [{ role: 'user', content: 'hello' }] });
const events = (): unknown[] => world.home.rows().map(({ event }) => event);

it('is on disk before a line is opened', async () => {
  let rowsAtRequest: unknown[] = [];
  world.provider.answer((_call, response) => {
    rowsAtRequest = events();
    response.end('{}');
  });
  mkdirSync(records, { recursive: true, mode: 0o700 });
  const lock = join(records, 'lock');
  symlinkSync(JSON.stringify({ ...(await markOfSelf(SYSTEM_TABLE)), token: 'another' }), lock);
  const answer = ask();
  // Long after the request was scanned and the row began to wait for the lock.
  await setTimeout(1000);
  expect([world.provider.open(), world.provider.calls]).toEqual([0, []]);
  unlinkSync(lock);
  expect((await answer).status).toBe(200);
  expect(rowsAtRequest).toEqual(['start']);
  await world.rows();
});

it('that cannot be written leaves the request here, and no row and no line behind', async () => {
  world.provider.calls.length = 0;
  await expect.poll(() => world.provider.open()).toBe(0);
  const before = events();
  rmSync(join(records, 'last-hash'));
  mkdirSync(join(records, 'last-hash'));
  const answer = await ask();
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('RECORD_UNWRITABLE')]);
  expect(world.provider.calls).toHaveLength(0);
  expect(events()).toEqual(before);
  expect(world.provider.open()).toBe(0);
  rmSync(join(records, 'last-hash'), { recursive: true });
  writeFileSync(join(records, 'last-hash'), '', { mode: 0o600 });
  expect((await ask()).status).toBe(200);
});

/** The owner's external scanner at the gate: what it finds is blanked there as in a send. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GateWorld, MODEL, openGateWorld } from '../../support/gate-world.js';
import { FINDS, makeAugmenter } from '../../support/made-augmenter.js';
import { makeTestFolder } from '../../support/make-repository.js';

const WORD = 'plain-word-that-only-the-owner-minds';

let world: GateWorld;
let folder: string;
beforeAll(async () => {
  world = await openGateWorld(() => undefined);
  folder = makeTestFolder();
  world.provider.answer((_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"model":"m","choices":[]}');
  });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const post = async (body: string): Promise<number> => {
  const { oracle, coldseal } = world.settings();
  const augmenter = { path: makeAugmenter(folder, body) };
  world.home.writeMachine({ oracle, coldseal: { ...coldseal, augmenter } });
  const messages = [{ role: 'user', content: `mind ${WORD} here` }];
  return (await world.post('chat/completions', JSON.stringify({ model: MODEL, messages }))).status;
};

it('blanks what it finds, and refuses when it fails', async () => {
  expect(await post(FINDS(WORD))).toBe(200);
  const [call] = world.provider.calls;
  expect(call?.body.toString()).toContain('mind [blanked token:augmenter #1] here');
  expect(call?.body.toString()).not.toContain(WORD);
  expect(await post('process.exit(1);')).toBe(422);
  expect(world.provider.calls).toHaveLength(1);
});

/** `coldseal serve` as it is started: where it says that it listens, how it ends, and what is left behind. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadService } from '../../bench/support/service-load.js';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import type { ProgramRun } from '../support/run-coldseal.js';
import { askService } from '../support/service-world.js';

let world: ProgramWorld;
let repository: MadeRepository;
beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  repository.commit('first', { 'src/app.js': 'export const answer = 41;\n' });
  repository.commit('second', { 'src/app.js': 'export const answer = 42;\n' });
});
afterAll(async () => {
  repository.close();
  await world.close();
});
beforeEach(() => {
  const machine = world.fragment();
  machine.coldseal['service'] = { repositories: [repository.folder] };
  world.writeMachine(machine);
  play({});
});

const play = (...replies: ScriptInput['replies']) => world.sandbox.play(readScript({ replies }));
const review = () => ({ repository: repository.folder, kind: 'change_review' });

interface Serving {
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramRun>;
  readonly url: string;
  readonly tokenFile: string;
  readonly token: string;
}

const serve = async (words: readonly string[] = []): Promise<Serving> => {
  let found: (started: { child: ChildProcess; line: string }) => void;
  const started = new Promise<{ child: ChildProcess; line: string }>((resolve) => {
    found = resolve;
  });
  const ended = world.run(repository.folder, ['serve', '--json', ...words], {
    onStart: (child) => {
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (text.includes('\n')) found({ child, line: text.split('\n', 1)[0] ?? '' });
      });
    },
  });
  const early = ended.then((run) => Promise.reject(new Error(`it ended with ${run.exit}: ${run.stderr}`)));
  const { child, line } = await Promise.race([started, early]);
  early.catch(() => undefined);
  const { url, token_file: tokenFile } = JSON.parse(line) as { url: string; token_file: string };
  return { child, ended, url, tokenFile, token: readFileSync(tokenFile, 'utf8').trim() };
};

const begin = async ({ url, token }: Serving): Promise<string> => {
  const headers = { prefer: 'respond-async' };
  const answer = await askService(url, token, { path: '/v1/dispatches', body: review(), headers });
  return String(answer.json()['id']);
};
/** Begins a run and waits until the provider has its request: the stage `send` begins before the body leaves. */
const beginAtProvider = async (serving: Serving): Promise<string> => {
  const before = world.sandbox.requests().length;
  const id = await begin(serving);
  await isAtProvider(before);
  return id;
};
const isAtProvider = (before: number): Promise<void> =>
  expect.poll(() => world.sandbox.requests().length).toBe(before + 1);
const endsOf = (id: string) =>
  world
    .rows()
    .filter((row) => row['id'] === id && row['event'] === 'end')
    .map(({ outcome, code }) => [outcome, code]);

describe('the service', () => {
  it('says its address and its token file, and leaves none of it behind', async () => {
    const serving = await serve();
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(statSync(serving.tokenFile).mode & 0o777).toBe(0o600);
    const kinds = await askService(serving.url, serving.token, { path: '/v1/kinds' });
    expect(kinds.status).toBe(200);
    serving.child.kill('SIGTERM');
    const { exit, stdout, stderr } = await serving.ended;
    expect(exit).toBe(143);
    expect(existsSync(serving.tokenFile)).toBe(false);
    for (const text of [stdout, stderr]) expect(text).not.toContain(serving.token);
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  });

  it('lets a run that is under way end before it ends itself', async () => {
    play({ waitMs: 300 });
    const serving = await serve();
    const id = await beginAtProvider(serving);
    serving.child.kill('SIGTERM');
    expect((await serving.ended).exit).toBe(143);
    expect(endsOf(id)).toEqual([['sent', undefined]]);
  });

  it('marks as cancelled what does not end within its time', async () => {
    play({ silent: true, end: 'hang' });
    const serving = await serve(['--grace', '0']);
    const id = await beginAtProvider(serving);
    serving.child.kill('SIGINT');
    expect((await serving.ended).exit).toBe(130);
    expect(endsOf(id)).toEqual([['provider_failed', 'CANCELLED']]);
  });

  it('answers a key of an earlier life that was killed with what the record knows', async () => {
    play({ silent: true, end: 'hang' });
    const first = await serve();
    const before = world.sandbox.requests().length;
    const headers = { 'idempotency-key': 'over-a-kill', prefer: 'respond-async' };
    const begun = await askService(first.url, first.token, { path: '/v1/dispatches', body: review(), headers });
    const id = String(begun.json()['id']);
    await isAtProvider(before);
    first.child.kill('SIGKILL');
    await first.ended;
    const requests = world.sandbox.requests().length;
    const second = await serve();
    const again = await askService(second.url, second.token, { path: '/v1/dispatches', body: review(), headers });
    expect(again.json()).toMatchObject({ id, state: 'ended', outcome: 'unknown' });
    expect(world.sandbox.requests()).toHaveLength(requests);
    second.child.kill('SIGTERM');
    await second.ended;
  });

  it('answers on a socket that is its owner’s alone', async () => {
    const path = join(world.home, 'seal.sock');
    const serving = await serve(['--listen', `unix:${path}`]);
    expect(serving.url).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await askService(serving.url, serving.token, { path: '/v1/kinds' })).status).toBe(200);
    serving.child.kill('SIGTERM');
    await serving.ended;
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    [['--listen', '0.0.0.0:0'], 'USAGE'],
    [['--listen', 'everywhere'], 'USAGE'],
    [['--runs', '0'], 'USAGE'],
    [['--grace', '-1'], 'USAGE'],
    // The queue's connection, which comes back by itself for ever, must not keep the program.
    [['--queue', 'redis://127.0.0.1:1', '--runs', '0'], 'USAGE'],
    [['--queue', 'redis://127.0.0.1:1', '--listen', 'everywhere'], 'USAGE'],
  ])('does not start with %j', async (words, code) => {
    const { exit, stderr } = await world.run(repository.folder, ['serve', ...words]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`refused (${code})`)]);
  });
});

it('answers many scans and dispatches at once without a fault, every run of them in the record', async () => {
  const serving = await serve();
  const { url, token } = serving;
  const load = { scanClients: 40, dispatchClients: 6, seconds: 2, linesEach: 10 };
  const figures = await loadService({ url, token, repository: repository.folder, ...load });
  expect(figures).toMatchObject({ errors: {}, missing: 0 });
  expect(figures.scans).toBeGreaterThanOrEqual(40);
  expect(figures.dispatches).toBeGreaterThanOrEqual(6);
  serving.child.kill('SIGTERM');
  await serving.ended;
});

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FleetMachine, type FleetWorld, openFleetWorld } from '../support/fleet-world.js';
import { makeRepository } from '../support/make-repository.js';
import { programFile } from '../support/run-coldseal.js';
import { isWithoutRedis } from '../support/start-redis.js';
import { until } from '../support/until.js';

let world: FleetWorld;
let machine: FleetMachine;
let service: ChildProcess;
let url = '';
let token = '';
let repository = '';
const commits: string[] = [];

beforeAll(async () => {
  world = await openFleetWorld();
  const made = makeRepository();
  for (let at = 0; at < 4; at += 1)
    commits.push(made.commit(`change ${at}`, { [`file-${at}.ts`]: `const at = ${at};\n` }));
  repository = join(world.folder, 'app');
  cpSync(made.folder, repository, { recursive: true });
  made.close();
  machine = world.machine();
  const { home, environment } = machine;
  const settings = JSON.parse(readFileSync(home.machineFile, 'utf8')) as { coldseal: Record<string, unknown> };
  home.writeMachine({ ...settings, coldseal: { ...settings.coldseal, service: { repositories: [world.folder] } } });
  const words = ['serve', '--listen', '127.0.0.1:0', '--queue', world.redis.url, '--json', '-q'];
  service = spawn(process.execPath, [programFile, ...words], {
    cwd: home.home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home.home, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  service.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  await until('the service', () => said.includes('\n'));
  const document = JSON.parse(said) as { url: string; token_file: string };
  url = document.url;
  token = readFileSync(document.token_file, 'utf8').trim();
}, 120_000);
afterAll(async () => {
  service.kill('SIGKILL');
  await world.close();
});

const ask = async (method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      prefer: 'respond-async',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
};

interface Dispatch {
  readonly id: string;
  readonly state: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly facts?: { readonly job: string; readonly record: string };
}

const dispatch = async (at: number): Promise<Dispatch> => {
  const body = { repository, kind: 'change_review', range: `${commits[at]}..${commits[at + 1]}` };
  const { status, text } = await ask('POST', '/v1/dispatches', body);
  expect([status, text]).toEqual([202, expect.any(String)]);
  return JSON.parse(text) as Dispatch;
};

it.skipIf(isWithoutRedis)(
  'puts what is dispatched into the queue, shows how it goes and how it ended, and counts jobs',
  {
    timeout: 120_000,
  },
  async () => {
    const [first, second] = [await dispatch(0), await dispatch(1)];
    const waiting = await until('both jobs', async () => {
      const { text } = await ask('GET', '/metrics');
      return text.includes('coldseal_jobs{state="waiting"} 2') ? text : null;
    });
    expect(waiting).toContain('coldseal_jobs{state="dead"} 0');
    expect(world.sandbox.requests()).toHaveLength(0);
    // Cancelled before a worker saw it.
    const cancelled = JSON.parse((await ask('DELETE', `/v1/dispatches/${second.id}`)).text) as Dispatch;
    expect(cancelled).toMatchObject({ state: 'ended', code: 'CANCELLED' });
    const events = ask('GET', `/v1/dispatches/${first.id}/events`);
    machine.work(['-q']);
    const told = (await events).text;
    expect(told).toContain('event: progress');
    const ended = JSON.parse(told.split('event: ended\ndata: ')[1] ?? '{}') as Dispatch;
    expect(ended).toMatchObject({ id: first.id, state: 'ended', outcome: 'sent' });
    expect(world.ranges()).toEqual([`${commits[0]}..${commits[1]}`]);
    const shown = await machine.runJson(repository, ['jobs', 'show', ended.facts?.job ?? '']);
    expect(shown.document).toMatchObject({ state: 'ended', end: { outcome: 'sent', record: ended.facts?.record } });
  },
);

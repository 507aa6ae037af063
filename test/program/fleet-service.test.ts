import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FleetMachine, type FleetWorld, openFleetWorld } from '../support/fleet-world.js';
import { makeRepository } from '../support/make-repository.js';
import { programFile } from '../support/run-coldseal.js';
import { isWithoutRedis } from '../support/start-redis.js';
import { until } from '../support/until.js';

let world: FleetWorld;
let machine: FleetMachine;
let service: Served;
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
  service = startServe(environment);
  const document = await service.listening();
  url = document.url;
  token = readFileSync(document.token_file, 'utf8').trim();
}, 120_000);
afterAll(async () => {
  await service.end();
  await world.close();
});

interface Served {
  listening(): Promise<{ readonly url: string; readonly token_file: string }>;
  stderr(): string;
  end(): Promise<void>;
}

const startServe = (environment: Readonly<Record<string, string>>): Served => {
  const words = ['serve', '--listen', '127.0.0.1:0', '--queue', world.redis.url, '--json', '-q'];
  const { home } = machine.home;
  const child = spawn(process.execPath, [programFile, ...words], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString('utf8');
    });
  }
  return {
    listening: async () => {
      await until('the service', () => said.stdout.includes('\n'));
      return JSON.parse(said.stdout) as { url: string; token_file: string };
    },
    stderr: () => said.stderr,
    end: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
};

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
  readonly answer_text?: string | null;
  readonly notes?: readonly string[];
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
    expect(ended).toMatchObject({ id: first.id, state: 'ended', outcome: 'sent', answer_text: null });
    // The answer stays where the job ran; whoever asked is told where.
    const place = join('.abcd', '.work.local', 'reviews', `${ended.facts?.record}.answer.md`);
    expect(ended.notes?.join('\n')).toContain(`${ended.facts?.record}.answer.md`);
    expect(existsSync(join(repository, place))).toBe(true);
    expect(world.ranges()).toEqual([`${commits[0]}..${commits[1]}`]);
    const shown = await machine.runJson(repository, ['jobs', 'show', ended.facts?.job ?? '']);
    expect(shown.document).toMatchObject({ state: 'ended', end: { outcome: 'sent', record: ended.facts?.record } });
  },
);

it.skipIf(isWithoutRedis).each([
  { what: 'its key has no value', isKeyless: true, isUnsafe: false, code: 'CREDENTIAL_MISSING', says: 'fleet' },
  {
    what: 'its Redis keeps no log',
    isKeyless: false,
    isUnsafe: true,
    code: 'QUEUE_UNSAFE',
    says: 'appendonly is not yes',
  },
])('says at its start that it is not ready, and is not, where $what', { timeout: 120_000 }, async (row) => {
  const { COLDSEAL_KEY_FLEET: fleet = '', ...others } = machine.environment;
  if (row.isUnsafe) await world.redis.admin((client) => client.config('SET', 'appendonly', 'no'));
  const other = startServe(row.isKeyless ? others : { ...others, COLDSEAL_KEY_FLEET: fleet });
  try {
    const at = await other.listening();
    const answer = await fetch(`${at.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, { ready: false, unready: ['queue'] }]);
    await until('the word on stderr', () => other.stderr().includes(row.code));
    expect(other.stderr()).toContain(row.says);
    const body = JSON.stringify({ repository, kind: 'change_review', range: `${commits[0]}..${commits[1]}` });
    const authorization = `Bearer ${readFileSync(at.token_file, 'utf8').trim()}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const refused = await fetch(`${at.url}/v1/dispatches`, { method: 'POST', headers, body });
    expect([refused.status >= 400, await refused.json()]).toMatchObject([true, { code: row.code }]);
    if (!row.isUnsafe) return;
    const words = [
      'jobs',
      'add',
      'change_review',
      '--range',
      `${commits[0]}..${commits[1]}`,
      '--route',
      'sandbox/summary-1',
    ];
    expect((await machine.runJson(repository, words)).ended).toMatch(/^2 refused QUEUE_UNSAFE .*appendonly is not yes/);
    await world.redis.admin((client) => client.config('SET', 'appendonly', 'yes'));
    await until('the service to be ready', async () => (await fetch(`${at.url}/readyz`)).status === 200);
  } finally {
    await world.redis.admin((client) => client.config('SET', 'appendonly', 'yes'));
    await other.end();
  }
});

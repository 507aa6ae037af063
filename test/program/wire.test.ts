/** What the wire promises, through the built program: codes, rows, connections, and a key that is nowhere. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { madeCredential } from '../support/made-call.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { encodedForms } from '../support/played-call.js';
import { filesHolding, type MachineObject, openProgramWorld, type ProgramWorld } from '../support/program-world.js';

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
  world.writeMachine(world.fragment());
  rmSync(consentFolder(), { recursive: true, force: true });
  play({});
});

const consentFolder = () => join(world.home, '.abcd.noindex', 'coldseal', 'consent');
const pinFile = () => join(consentFolder(), 'sandbox.json');
const play = (...replies: ScriptInput['replies']) => world.sandbox.play(readScript({ replies }));

interface Changes {
  readonly api?: Readonly<Record<string, unknown>>;
  readonly own?: Readonly<Record<string, unknown>>;
  readonly coldseal?: Readonly<Record<string, unknown>>;
}

/** The sandbox's fragment with changes to its provider; `undefined` takes a member away. */
const writeMachine = ({ api = {}, own = {}, coldseal = {} }: Changes): void => {
  const machine: MachineObject = world.fragment();
  const blocks = machine.oracle['api'] as Record<string, object>;
  blocks['sandbox'] = { ...blocks['sandbox'], ...api };
  const providers = machine.coldseal['providers'] as Record<string, object>;
  providers['sandbox'] = { ...providers['sandbox'], ...own };
  machine.coldseal = { ...machine.coldseal, ...coldseal };
  world.writeMachine(machine);
};

/** A run with what it added: connections and rows. */
const review = async (words: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) => {
  const connections = world.sandbox.connections();
  const rows = world.rows().length;
  const run = await world.run(repository.folder, ['review', ...words], { environment });
  return {
    ...run,
    connections: world.sandbox.connections() - connections,
    rows: world.rows().slice(rows),
    events: world
      .rows()
      .slice(rows)
      .map(({ event, code }) => (code === undefined ? event : `${String(event)} ${String(code)}`)),
  };
};

const DEAD_ADDRESS = '127.0.0.1:1';

describe('consent', () => {
  const CHANGES: readonly (readonly [what: string, changes: Changes, member: string])[] = [
    ['path', { api: { base_url: 'https://sandbox.coldseal.example/v2' } }, 'base_url'],
    ['key name', { api: { key: 'other' }, coldseal: { credentials: { other: { env: 'OTHER' } } } }, 'key'],
    ['model list', { api: { models: ['summary-1', 'larger-2'] } }, 'models'],
    ['resolve', { own: { resolve: { 'sandbox.coldseal.example': DEAD_ADDRESS } } }, 'resolve'],
    ['certificate file', { own: { ca_file: '/etc/hostname' } }, 'ca_file'],
  ];

  it('is pinned by the first send in a file of the owner alone, and holds for the next', async () => {
    expect(existsSync(pinFile())).toBe(false);
    const plan = await review(['--plan']);
    expect(plan.exit).toBe(0);
    expect(plan.stdout).toContain('leaves this machine for sandbox.coldseal.example');
    expect(plan.stderr).toContain('the first send pins it');
    expect(existsSync(pinFile())).toBe(false);
    expect((await review()).exit).toBe(0);
    expect(statSync(pinFile()).mode & 0o777).toBe(0o600);
    expect(statSync(consentFolder()).mode & 0o777).toBe(0o700);
    expect((await review()).exit).toBe(0);
    writeMachine({ own: { timeout: 1200, usage_chunk: false } });
    expect(await review()).toMatchObject({ exit: 0, events: ['start', 'end'] });
  });

  it.each(CHANGES)(
    'is asked again once the %s changed, by plan, probe and send alike',
    async (_what, changes, member) => {
      expect((await review()).exit).toBe(0);
      writeMachine(changes);
      const plan = await review(['--plan', '--json'], { OTHER: 'x' });
      expect(plan).toMatchObject({ exit: 2, connections: 0, events: [] });
      expect(JSON.parse(plan.stdout)).toMatchObject({
        outcome: 'refused',
        code: 'CONSENT_CHANGED',
        bundle: { items: [{}, {}] },
      });
      const probe = await world.run(repository.folder, ['providers', 'test', 'sandbox'], {
        environment: { OTHER: 'x' },
      });
      expect([probe.exit, probe.stderr]).toEqual([2, expect.stringContaining('CONSENT_CHANGED')]);
      const sent = await review([], { OTHER: 'x' });
      expect(sent).toMatchObject({ exit: 2, connections: 0, events: ['refused CONSENT_CHANGED'] });
      expect(sent.stderr).toContain('coldseal providers approve sandbox');
      const approved = await world.run(repository.folder, ['providers', 'approve', 'sandbox', '--json']);
      expect(approved.exit).toBe(0);
      const { was, changes: shown } = JSON.parse(approved.stdout) as { was: string; changes: { member: string }[] };
      expect([was, shown.map((change) => change.member)]).toEqual(['changed', expect.arrayContaining([member])]);
    },
  );

  it('is given by `providers approve`, which shows before and after', async () => {
    expect((await review()).exit).toBe(0);
    writeMachine({ api: { models: ['summary-1', 'larger-2'] } });
    const approved = await world.run(repository.folder, ['providers', 'approve', 'sandbox']);
    expect(approved).toMatchObject({ exit: 0 });
    expect(approved.stdout).toMatch(/models\n {2}before {2}\["summary-1"\]\n {2}after {3}\["larger-2","summary-1"\]/);
    expect(await review()).toMatchObject({ exit: 0, connections: 1 });
  });

  it('of another version is asked again, never trusted in part', async () => {
    expect((await review()).exit).toBe(0);
    const pin = JSON.parse(readFileSync(pinFile(), 'utf8')) as Record<string, unknown>;
    writeFileSync(pinFile(), JSON.stringify({ ...pin, v: 2 }));
    expect(await review()).toMatchObject({ exit: 2, connections: 0, events: ['refused CONSENT_CHANGED'] });
    expect((await world.run(repository.folder, ['providers', 'approve', 'sandbox'])).stdout).toContain(
      'cannot be trusted',
    );
    expect((await review()).exit).toBe(0);
  });

  it('of a first send of which nothing left is taken back', async () => {
    writeMachine({ own: { ca_file: undefined } });
    expect(await review()).toMatchObject({ exit: 3, events: ['start', 'end PROVIDER_TLS'] });
    expect(readdirSync(consentFolder())).toEqual([]);
    writeMachine({});
    expect((await review()).exit).toBe(0);
  });
});

describe('a provider that fails', () => {
  it('with a redirect is not followed', async () => {
    play({ status: 307, headers: { location: 'https://elsewhere.example/v1' } });
    const run = await review();
    expect(run).toMatchObject({ exit: 3, connections: 1, events: ['start', 'end PROVIDER_REDIRECT'] });
    expect(run.stderr).toContain('provider failed (PROVIDER_REDIRECT)');
  });

  it('to show the certificate that is due gets nothing, and the work is not handed to the host', async () => {
    writeMachine({ own: { ca_file: undefined } });
    const received = world.sandbox.requests().length;
    expect(await review()).toMatchObject({ exit: 3, connections: 1, events: ['start', 'end PROVIDER_TLS'] });
    expect(world.sandbox.requests()).toHaveLength(received);
  });

  it('to be the host it is called by gets nothing, wherever `resolve` leads', async () => {
    writeMachine({
      api: { base_url: 'https://other.coldseal.example/v1' },
      own: { resolve: { 'other.coldseal.example': world.sandbox.address } },
    });
    expect(await review()).toMatchObject({ exit: 3, connections: 1, events: ['start', 'end PROVIDER_TLS'] });
  });

  it('to be reached hands the work to the host, unless the route was typed or a program waits', async () => {
    writeMachine({ own: { resolve: { 'sandbox.coldseal.example': DEAD_ADDRESS } } });
    const words = [[], ['--route', 'change-reviewer=sandbox/summary-1'], ['--json']];
    const rows = world.rows().length;
    const [host, typed, awaited] = await Promise.all(
      words.map((more) => world.run(repository.folder, ['review', ...more])),
    );
    expect(host).toMatchObject({ exit: 0, stdout: '' });
    expect(host?.stderr).toContain('The work is handed to the host');
    expect([typed?.exit, typed?.stderr]).toEqual([3, expect.stringContaining('PROVIDER_UNREACHABLE')]);
    expect(awaited?.exit).toBe(3);
    expect(JSON.parse(awaited?.stdout ?? '')).toMatchObject({
      outcome: 'provider_failed',
      code: 'PROVIDER_UNREACHABLE',
    });
    const ends = world
      .rows()
      .slice(rows)
      .filter(({ event }) => event === 'end');
    expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(['host', 'provider_failed', 'provider_failed']);
    expect(ends.every(({ attempts }) => attempts === 3)).toBe(true);
  });

  it('behind a proxy that does not tunnel gets nothing; the proxy is named', async () => {
    const proxy = await startConnectProxy({
      target: world.sandbox.address,
      answer: 'HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n',
    });
    try {
      const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
      const run = await review(['--json'], environment);
      expect(run).toMatchObject({ exit: 3, connections: 0, events: ['start', 'end PROVIDER_UNREACHABLE'] });
      expect(run.stderr).toContain(`through the proxy http://127.0.0.1:${proxy.port}`);
      expect(run.rows[0]).toMatchObject({ route: { proxy: `http://127.0.0.1:${proxy.port}` } });
      expect(proxy.heads).toHaveLength(1);
    } finally {
      await proxy.close();
    }
  });

  it('with 429 is asked again, each try a row, and a third time at most', async () => {
    const busy = { status: 429, headers: { 'retry-after-ms': '1' }, json: { error: { message: 'slow down' } } };
    play(busy, {});
    const second = await review();
    expect(second).toMatchObject({ exit: 0, connections: 2, events: ['start', 'start', 'end'] });
    expect(second.rows.map(({ attempt, attempts }) => attempt ?? attempts)).toEqual([1, 2, 2]);
    play(busy, busy, busy, {});
    const never = await review();
    expect(never).toMatchObject({
      exit: 3,
      connections: 3,
      events: ['start', 'start', 'start', 'end PROVIDER_STATUS'],
    });
  });

  it('in the middle of its answer is not asked again', async () => {
    play({ events: [{ text: 'half' }], end: 'reset' });
    expect(await review()).toMatchObject({
      exit: 3,
      connections: 1,
      stdout: '',
      events: ['start', 'end PROVIDER_CUT_OFF'],
    });
  });
});

describe('certificate checks', () => {
  it('cannot be turned off: the run is refused before anything is opened', async () => {
    const run = await review([], { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(run).toMatchObject({ exit: 2, connections: 0, events: [] });
    expect(run.stderr).toContain('refused (CONFIG_UNSAFE)');
  });
});

describe('the key', () => {
  const KEYED: Changes = { api: { key: 'acme' }, coldseal: { credentials: { acme: { env: 'ACME_KEY' } } } };
  const notHolding = (value: string, streams: readonly string[]) => {
    for (const form of encodedForms(value)) {
      for (const stream of streams) expect(stream).not.toContain(form);
      expect(filesHolding(world.home, form)).toEqual([]);
      expect(filesHolding(repository.folder, form)).toEqual([]);
    }
  };

  it('stands in no stream and no file, whatever a provider says with it', async () => {
    const value = madeCredential();
    writeMachine(KEYED);
    const said = encodedForms(value).join(' ');
    play(
      {
        status: 400,
        json: { error: { message: `you sent ${said}`, code: value } },
        headers: { 'x-generation-id': value },
      },
      { events: [{ text: `your key is ${said}.\n` }, { finish: 'stop' }, { done: true }] },
    );
    const failed = await review([], { ACME_KEY: value });
    expect(failed).toMatchObject({ exit: 3, events: ['start', 'end PROVIDER_STATUS'] });
    const answered = await review([], { ACME_KEY: value });
    expect(answered.exit).toBe(0);
    expect(answered.stdout).toContain('your key is [credential]');
    expect(world.sandbox.requests().at(-1)?.headers['authorization']).toBe(`Bearer ${value}`);
    notHolding(value, [failed.stdout, failed.stderr, answered.stdout, answered.stderr]);
    const shown = await world.run(repository.folder, ['records', 'show', 'last', '--json']);
    expect(shown.stdout).toContain('"acme"');
    notHolding(value, [shown.stdout, shown.stderr]);
  });

  it('that is not there refuses the send before anything is opened, naming it', async () => {
    writeMachine(KEYED);
    const run = await review();
    expect(run).toMatchObject({ exit: 2, connections: 0, events: ['refused CREDENTIAL_MISSING'] });
    expect(run.stderr).toContain('"acme"');
  });
});

describe('a program as a provider', () => {
  const toolMachine = (body: string, spawn: Readonly<Record<string, unknown>> = {}): string => {
    const folder = join(world.home, 'tools');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const program = join(folder, 'tool');
    writeFileSync(program, `#!${process.execPath}\n${body}\n`, { mode: 0o755 });
    world.writeMachine({
      oracle: { roles: { 'change-reviewer': 'tool/large' }, bundled_context_providers: ['tool'] },
      coldseal: { providers: { tool: { spawn: { program, models: ['large'], ...spawn } } } },
    });
    return program;
  };
  const COUNT =
    "const text = require('node:fs').readFileSync(0, 'utf8'); console.log(text.match(/^=== /gm).length + ' lines of frame');";

  it('takes the bundle, is recorded as where it went, and is asked for once', async () => {
    const program = toolMachine(COUNT);
    const run = await review();
    expect(run).toMatchObject({ exit: 0, stdout: '3 lines of frame\n', events: ['start', 'end'] });
    expect(run.stderr).toContain(`bytes to tool (${program})`);
    expect(run.rows[0]).toMatchObject({ route: { provider: 'tool', host: program, remote: true } });
    toolMachine(COUNT, { env: { ACME_REGION: 'north' } });
    expect(await review()).toMatchObject({ exit: 2, events: ['refused CONSENT_CHANGED'] });
    toolMachine(COUNT, { runs_on: 'this-machine' });
    expect(await review()).toMatchObject({ exit: 2, events: ['refused CONSENT_CHANGED'] });
  });

  it('that is not there falls back to the host; one that fails does not', async () => {
    const program = toolMachine(COUNT);
    rmSync(program);
    expect(await review()).toMatchObject({ exit: 0, events: ['start', 'end PROVIDER_UNREACHABLE'] });
    toolMachine('process.stdin.resume(); process.stdin.on("end", () => process.exit(9));');
    expect(await review()).toMatchObject({ exit: 3, events: ['start', 'end PROVIDER_STATUS'] });
  });

  it('is looked at by `providers test` and listed as what it is', async () => {
    toolMachine(COUNT);
    const tested = await world.run(repository.folder, ['providers', 'test', 'tool']);
    expect([tested.exit, tested.stdout]).toEqual([0, expect.stringContaining('a test does not start it')]);
    const listed = await world.run(repository.folder, ['providers', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      providers: [{ name: 'tool', transport: 'spawn', remote: true }],
    });
  });
});

/**
 * SIGINT and SIGTERM at each stage of a send, given to the built program: how it ends, what had left by then, and that the
 * record says just that. A run of which a byte had left is never told as refused.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

/** More than the sockets' own buffers hold, so that a reader that stops keeps the sender in the middle of its body. */
const BODY_BYTES = 24 * 1024 * 1024;

let world: ProgramWorld;
let repository: MadeRepository;
beforeAll(async () => {
  world = await openProgramWorld();
  world.writeMachine({ ...world.fragment(), oracle: { ...world.fragment().oracle, bundles: { cap: '128 MiB' } } });
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'one line\n' });
  repository.commit('second', { 'a.txt': 'one plain line of text\n'.repeat(BODY_BYTES / 2 / 23) });
});
afterAll(async () => {
  repository.close();
  await world.close();
});

const play = (...replies: ScriptInput['replies']) => world.sandbox.play(readScript({ replies }));
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await pause(10);
};

/** Sends the signal once the stage is reached. */
const stopAt = async (
  signal: NodeJS.Signals,
  words: readonly string[],
  isReached: () => boolean,
  environment: Readonly<Record<string, string>> = {},
) => {
  const rows = world.rows().length;
  let waiting = Promise.resolve();
  const ran = await world.run(repository.folder, words, {
    environment,
    onStart: (child) => {
      waiting = until(isReached).then(() => {
        child.kill(signal);
      });
    },
  });
  await waiting;
  return { ...ran, rows: world.rows().slice(rows) };
};

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe.each(SIGNALS)('%s', (signal, exit) => {
  it('while git reads ends git and writes no row', async () => {
    const tools = join(world.home, `tools-${signal}`);
    const mark = join(tools, 'pid');
    mkdirSync(tools);
    const real =
      (process.env['PATH'] ?? '')
        .split(':')
        .map((folder) => join(folder, 'git'))
        .find(existsSync) ?? '';
    // Everything but the one that reads objects is the real program; that one never answers.
    const script = `#!/bin/sh\ncase "$*" in *cat-file*) echo $$ > "${mark}.new"; mv "${mark}.new" "${mark}"; exec sleep 300;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(tools, 'git'), script);
    chmodSync(join(tools, 'git'), 0o755);
    const ran = await stopAt(signal, ['review'], () => existsSync(mark), {
      PATH: `${tools}:${process.env['PATH'] ?? ''}`,
    });
    expect([ran.exit, ran.stdout, ran.rows]).toEqual([exit, '', []]);
    expect(existsSync(`/proc/${readFileSync(mark, 'utf8').trim()}`)).toBe(false);
  });

  it('while the handshake is awaited says that nothing had left', async () => {
    play({ connection: 'stall' });
    const before = world.sandbox.connections();
    const ran = await stopAt(signal, ['review'], () => world.sandbox.connections() > before);
    expect([ran.exit, ran.stdout]).toEqual([exit, '']);
    expect(ran.rows).toMatchObject([
      { event: 'start' },
      { event: 'end', outcome: 'refused', code: 'CANCELLED', request: 'unsent' },
    ]);
  });

  const AFTER: readonly (readonly [what: string, reply: ScriptInput['replies'][number], request: string])[] = [
    ['while the body is sent', { read: { stopAfterBytes: 1024 }, silent: true, end: 'hang' }, 'partly_sent'],
    ['while the answer is awaited', { silent: true, end: 'hang' }, 'sent'],
    ['in the middle of the answer', { events: [{ text: 'half' }, { waitMs: 600_000 }] }, 'sent'],
  ];
  it.each(AFTER)('%s says how much had left, and that no answer was kept', async (_what, reply, request) => {
    play(reply);
    const before = world.sandbox.requests().length;
    const ran = await stopAt(signal, ['review'], () => world.sandbox.requests().length > before);
    expect([ran.exit, ran.stdout]).toEqual([exit, '']);
    expect(ran.stderr).toMatch(/had left when the run was stopped; no answer was kept \(record rec-/);
    expect(ran.rows).toMatchObject([
      { event: 'start' },
      { event: 'end', outcome: 'provider_failed', code: 'CANCELLED', request },
    ]);
    expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
  });
});

describe('an answer whose place was exchanged for a link meanwhile', () => {
  it('is shown to the person, and recorded as come and not kept', async () => {
    const state = join(repository.folder, '.abcd', '.work.local');
    play({ waitMs: 300, events: [{ text: 'a paid-for verdict' }, { finish: 'stop' }, { done: true }] });
    const before = world.sandbox.requests().length;
    const rows = world.rows().length;
    let exchanged = Promise.resolve();
    const ran = await world.run(repository.folder, ['review'], {
      onStart: () => {
        exchanged = until(() => world.sandbox.requests().length > before).then(() => {
          rmSync(state, { recursive: true, force: true });
          symlinkSync(world.home, state);
        });
      },
    });
    await exchanged;
    rmSync(state);
    expect([ran.exit, ran.stdout]).toEqual([3, 'a paid-for verdict\n']);
    expect(ran.stderr).toContain('failed (STATE_UNSAFE): The answer came and could not be kept: ');
    expect(world.rows().slice(rows)).toMatchObject([
      { event: 'start' },
      { event: 'end', outcome: 'provider_failed', code: 'STATE_UNSAFE', request: 'answered', finish_reason: 'stop' },
    ]);
  });
});

describe('a provider on this machine', () => {
  it.each(SIGNALS)('that is awaited at %s leaves the same account of what had left', async (signal, exit) => {
    const here = await startSandbox({ tls: false, script: readScript({ replies: [{ silent: true, end: 'hang' }] }) });
    const home = makeProgramHome(here.fragment);
    try {
      let waiting = Promise.resolve();
      const ran = await home.run(repository.folder, ['review'], {
        onStart: (child) => {
          waiting = until(() => here.requests().length > 0).then(() => {
            child.kill(signal);
          });
        },
      });
      await waiting;
      expect([ran.exit, ran.stdout, ran.stderr]).toEqual([exit, '', expect.stringContaining('had left when the run')]);
      expect(home.rows()).toMatchObject([
        { event: 'start', route: { remote: false } },
        { event: 'end', outcome: 'provider_failed', code: 'CANCELLED', request: 'sent' },
      ]);
    } finally {
      await here.close();
      home.remove();
    }
  });
});

/**
 * The program killed at each stage of a send, in a folder that is gone, and on disks that take nothing more. Whatever the
 * stage, the record's chain stays whole, says no more than was written, and the next run is sent.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { needProgram } from '../support/find-program.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { withPreload } from '../support/preload-library.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import type { ProgramWords } from '../support/run-coldseal.js';
import { mountSmallDisk } from '../support/small-disk.js';

/** More than the sockets' own buffers hold, so that a reader that stops keeps the sender in the middle of its body. */
const BODY_BYTES = 12 * 1024 * 1024;
const LINE = 'one plain line of text\n';

let world: ProgramWorld;
let repository: MadeRepository;
/** Its bundle fills the sockets' buffers. */
let large: MadeRepository;
let tools: string;
const writeMachine = (coldseal: Readonly<Record<string, unknown>> = {}): void => {
  const machine = world.fragment();
  const oracle = { ...machine.oracle, bundles: { cap: '64 MiB' } };
  world.writeMachine({ ...machine, oracle, coldseal: { ...machine.coldseal, ...coldseal } });
};
beforeAll(async () => {
  world = await openProgramWorld();
  writeMachine();
  tools = makeTestFolder();
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'one line\n' });
  repository.commit('second', { 'a.txt': LINE });
  large = makeRepository();
  large.commit('first', { 'a.txt': 'one line\n' });
  large.commit('second', { 'a.txt': LINE.repeat(BODY_BYTES / 2 / LINE.length) });
});
afterAll(async () => {
  repository.close();
  large.close();
  rmSync(tools, { recursive: true, force: true });
  await world.close();
});

const play = (...replies: ScriptInput['replies']): void => world.sandbox.play(readScript({ replies, after: 'repeat' }));

const review = async (
  more: Partial<ProgramWords> = {},
  words: readonly string[] = ['review'],
  { folder }: MadeRepository = repository,
) => {
  const { sandbox } = world;
  const before = { connections: sandbox.connections(), requests: sandbox.requests().length, rows: world.rows().length };
  const ran = await world.run(folder, words, more);
  return {
    ...ran,
    connections: sandbox.connections() - before.connections,
    requests: sandbox.requests().length - before.requests,
    rows: world.rows().slice(before.rows),
  };
};

/** The chain holds, and the same run without the fault is sent. */
const goesOn = async (): Promise<void> => {
  const verified = await world.run(repository.folder, ['records', 'verify']);
  expect([verified.exit, verified.stderr]).toEqual([0, expect.any(String)]);
  play({});
  expect(await review()).toMatchObject({ exit: 0, requests: 1 });
  expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
};

describe('SIGKILL', () => {
  const STAGES: readonly (readonly [what: string, reply: ScriptInput['replies'][number], requests: 0 | 1])[] = [
    ['while the handshake is awaited', { connection: 'stall' }, 0],
    ['while the body is sent', { read: { stopAfterBytes: 1024 }, silent: true, end: 'hang' }, 1],
    ['while the answer is awaited', { silent: true, end: 'hang' }, 1],
    ['in the middle of the answer', { events: [{ text: 'half' }, { waitMs: 600_000 }] }, 1],
  ];
  it.each(STAGES)('%s leaves a start without an end', async (_what, reply, requests) => {
    play(reply);
    const before = { connections: world.sandbox.connections(), requests: world.sandbox.requests().length };
    const onStart: ProgramWords['onStart'] = (child) => {
      const look = setInterval(() => {
        const isReached =
          requests === 0
            ? world.sandbox.connections() > before.connections
            : world.sandbox.requests().length > before.requests;
        if (!isReached) return;
        clearInterval(look);
        child.kill('SIGKILL');
      }, 10);
    };
    const ran = await review({ onStart }, ['review'], large);
    expect([ran.exit, ran.signal, ran.stdout, ran.requests]).toEqual([null, 'SIGKILL', '', requests]);
    expect(ran.rows).toMatchObject([{ event: 'start' }]);
    const shown = await world.run(repository.folder, ['records', 'show', 'last', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ summary: { outcome: 'unknown' } });
    await goesOn();
  });

  /** Ends the program by its own hand where the record is made durable for the `DIE_AT`th time. */
  const DIES = `#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int calls;
static int f(int d, long n){char p[64],t[4096];snprintf(p,64,"/proc/self/fd/%d",d);ssize_t l=readlink(p,t,4095);if(l>0){t[l]=0;
 if(strstr(t,"/coldseal/records")&&getenv("DIE_AT")&&__sync_add_and_fetch(&calls,1)==atoi(getenv("DIE_AT")))kill(getpid(),SIGKILL);}
 return (int)syscall(n,d);}
int fsync(int d){return f(d,SYS_fsync);}
int fdatasync(int d){return f(d,SYS_fdatasync);}
`;

  it('at every moment at which a row is made durable leaves a whole chain, and no call without a row', async () => {
    const preload = withPreload(tools, 'dies', DIES);
    const ends: (readonly [events: string, requests: number])[] = [];
    for (let at = 1; ; at += 1) {
      play({});
      const ran = await review({ environment: { ...preload, DIE_AT: String(at) } });
      if (ran.signal === null) {
        expect([ran.exit, ran.requests]).toEqual([0, 1]);
        break;
      }
      expect(ran.signal).toBe('SIGKILL');
      ends.push([ran.rows.map(({ event }) => event).join(), ran.requests]);
      await goesOn();
    }
    // Both rows have such moments, before the call and after it; a call has its start row whatever comes then.
    expect(ends.some(([, requests]) => requests === 0)).toBe(true);
    expect(ends.some(([events, requests]) => requests === 1 && events.startsWith('start'))).toBe(true);
    expect(ends.filter(([events, requests]) => requests === 1 && !events.startsWith('start'))).toEqual([]);
  }, 300_000);
});

describe('the first row of a store', () => {
  it('is written by one of four programs that begin at once, and the others go on behind it', async () => {
    for (const round of [1, 2]) {
      const records = join(tools, `new-${round}`, 'records');
      mkdirSync(join(records, '..'));
      writeMachine({ records_dir: records });
      play({});
      const runs = await Promise.all(Array.from({ length: 4 }, () => world.run(repository.folder, ['review'])));
      expect(runs.map(({ exit, stderr }) => [exit, exit === 0 ? '' : stderr])).toEqual(Array(4).fill([0, '']));
      const rows = readdirSync(records)
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(records, name), 'utf8').trimEnd().split('\n'))
        .map((line) => JSON.parse(line) as { event: string });
      expect(rows.map(({ event }) => event).sort()).toEqual([...Array(4).fill('end'), ...Array(4).fill('start')]);
      expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
    }
    writeMachine();
  }, 240_000);
});

describe('a folder of answers', () => {
  const reviews = ({ folder } = repository): string => join(folder, '.abcd', '.work.local', 'reviews');

  it('on a full disk: the paid-for answer is shown, and recorded as come and not kept', async (context) => {
    mkdirSync(reviews(), { recursive: true });
    mountSmallDisk(context, reviews(), '16k');
    writeFileSync(join(reviews(), '.gitignore'), '*\n');
    writeFileSync(join(reviews(), 'ballast'), Buffer.alloc(12 * 1024));
    play({ events: [{ text: `a paid-for verdict ${'and more '.repeat(2000)}` }, { finish: 'stop' }, { done: true }] });
    const ran = await review();
    expect([ran.exit, ran.requests]).toEqual([3, 1]);
    expect(ran.stdout).toContain('a paid-for verdict');
    expect(ran.stderr).toMatch(/The answer came and could not be kept: .*ENOSPC/);
    expect(ran.rows).toMatchObject([{ event: 'start' }, { event: 'end', request: 'answered' }]);
    expect(readdirSync(reviews()).sort()).toEqual(['.gitignore', 'ballast']);
  });

  it('that cannot be written is told before the call', async (context) => {
    mkdirSync(reviews(), { recursive: true });
    mountSmallDisk(context, reviews(), '16k');
    execFileSync(needProgram('mount'), ['-o', 'remount,ro', reviews()]);
    play({});
    const ran = await review();
    expect([ran.exit, ran.connections, ran.stdout]).toEqual([2, 0, '']);
    expect(ran.stderr).toMatch(/refused \(STATE_UNSAFE\): .*EROFS/);
  });

  it('of a host on a full disk refuses, and leaves no half request', async (context) => {
    const folder = reviews(large);
    mkdirSync(folder, { recursive: true });
    mountSmallDisk(context, folder, '16k');
    const ran = await review({}, ['review', '--route', 'change-reviewer=host-decides'], large);
    expect([ran.exit, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toMatch(/refused \(STATE_UNSAFE\): .*ENOSPC/);
    expect(readdirSync(folder).filter((name) => name !== '.gitignore')).toEqual([]);
  });
});

describe('what the program is started with', () => {
  const inShell = (script: string, words: readonly string[]) =>
    review({ prefix: ['sh', '-c', `${script}; exec "$0" "$@"`] }, words);

  it.each([
    ['scan', () => ['scan']],
    ['scan of a folder that is named', () => ['-C', repository.folder, 'scan', 'a.txt']],
    ['records', () => ['records', 'list']],
  ])('a current folder that is gone is said to be so: %s', async (_what, words) => {
    const gone = join(tools, 'gone');
    mkdirSync(gone);
    const ran = await inShell(`cd ${gone}; rmdir ${gone}`, words());
    expect([ran.exit, ran.stdout, existsSync(gone)]).toEqual([2, '', false]);
    expect(ran.stderr).toMatch(/^refused \(USAGE\): the folder this was started in is not there any more/m);
  });

  it.each([20, 24, 32, 40])('a limit of %i open files is said to be one', async (limit) => {
    const ran = await inShell(`ulimit -n ${limit}`, ['review']);
    expect([ran.exit, ran.stdout, ran.connections, ran.rows]).toEqual([1, '', 0, []]);
    expect(ran.stderr).toMatch(
      /^failed \(INTERNAL\): this program may open no more files \(EMFILE\); raise the limit/m,
    );
    expect(ran.stderr).not.toMatch(/please report|node:/);
  });
});

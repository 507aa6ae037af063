/**
 * The fault table: each fault brought about for real under the built program, with its outcome. In every row nothing
 * reaches the provider that was not sealed, the record's chain stays whole, and the next run works.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { withPreload } from '../support/preload-library.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import type { ProgramRun, ProgramWords } from '../support/run-coldseal.js';
import { mountSmallDisk } from '../support/small-disk.js';

let world: ProgramWorld;
let repository: MadeRepository;
let tools: string;
beforeAll(async () => {
  world = await openProgramWorld();
  tools = makeTestFolder();
});
afterAll(async () => {
  await world.close();
  rmSync(tools, { recursive: true, force: true });
});
beforeEach(() => {
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'one line\n' });
  repository.commit('second', { 'a.txt': 'another line\n', 'b.txt': 'b\n'.repeat(1000) });
  world.writeMachine(world.fragment());
  world.sandbox.play(readScript({ replies: [{}] }));
  return () => repository.close();
});

interface Faulted extends ProgramRun {
  /** Connections that the run made, and bodies that arrived. */
  readonly connections: number;
  readonly requests: number;
  readonly rows: readonly Record<string, unknown>[];
}

const review = async (more: Partial<ProgramWords> = {}, words: readonly string[] = ['review']): Promise<Faulted> => {
  const { sandbox } = world;
  const before = { connections: sandbox.connections(), requests: sandbox.requests().length, rows: world.rows().length };
  const ran = await world.run(repository.folder, words, more);
  return {
    ...ran,
    connections: sandbox.connections() - before.connections,
    requests: sandbox.requests().length - before.requests,
    rows: world.rows().slice(before.rows),
  };
};

/** Nothing left, the chain is whole, and without the fault the same run is sent. */
const isRefusedCleanly = async (ran: Faulted, code: string, said: RegExp): Promise<void> => {
  expect([ran.exit, ran.stdout, ran.connections]).toEqual([2, '', 0]);
  expect(ran.stderr).toContain(`refused (${code})`);
  expect(ran.stderr).toMatch(said);
  expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
  expect(await review()).toMatchObject({ exit: 0, requests: 1, rows: [{ event: 'start' }, { event: 'end' }] });
};

/** A `git` before the real one: `script` sees the arguments in `$*` and the real program in `$real`. */
const withGit = (name: string, script: string): Readonly<Record<string, string>> => {
  const folder = join(tools, name);
  mkdirSync(folder, { recursive: true });
  const path = process.env['PATH'] ?? '';
  const real =
    path
      .split(':')
      .map((one) => join(one, 'git'))
      .find(existsSync) ?? '';
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nreal=${real}\n${script}\nexec "$real" "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return { PATH: `${folder}:${path}` };
};

describe('git', () => {
  /** The child that reads objects, cut off behind so many bytes of its answers; its own end is `end`. */
  const cutBehind = (bytes: number, end: string): string =>
    `case "$*" in *"cat-file --batch-command"*) exec 3<&0; ${end}; ("$real" "$@" <&3 2> /dev/null | (stdbuf -o0 head -c ${bytes}; kill -TERM $$)) & wait; exit 9;; esac`;

  it('that is killed in the middle of an object refuses the run', async () => {
    const environment = withGit('killed', cutBehind(700, `trap 'kill -KILL $$' TERM`));
    await isRefusedCleanly(await review({ environment }), 'GIT_FAILED', /cat-file.*(SIGKILL|ended)/);
  });

  it('that says less than it promised refuses the run', async () => {
    const environment = withGit('short', cutBehind(800, `trap 'exit 0' TERM`));
    await isRefusedCleanly(await review({ environment }), 'GIT_FAILED', /cat-file/);
  });

  it('that stops answering is waited for no longer than its limit, and leaves no child', async () => {
    const mark = join(tools, 'stopped');
    const environment = withGit(
      'stopped-tool',
      `case "$*" in *"cat-file --batch-command"*) echo $$ > "${mark}"; kill -STOP $$;; esac`,
    );
    const ran = await review({ environment });
    await isRefusedCleanly(ran, 'GIT_FAILED', /60 s, which is the limit/);
    expect(existsSync(`/proc/${readFileSync(mark, 'utf8').trim()}`)).toBe(false);
  }, 120_000);
});

describe('a repository that changes underneath', () => {
  const objectsOf = (): string => join(repository.folder, '.git', 'objects');
  const blob = (): string => repository.git(['rev-parse', 'HEAD:b.txt']);
  const fileOf = (id: string): string => join(objectsOf(), id.slice(0, 2), id.slice(2));

  it('and loses an object between its size and its bytes refuses the run, naming the object', async () => {
    const id = blob();
    const kept = readFileSync(fileOf(id));
    const environment = withGit('losing', `case "$*" in *"diff-tree -r -p"*) rm -f "${fileOf(id)}";; esac`);
    const ran = await review({ environment });
    writeFileSync(fileOf(id), kept);
    await isRefusedCleanly(ran, 'ITEM_UNREADABLE', new RegExp(id));
  });

  it('and is packed and pruned meanwhile is read on', async () => {
    const environment = withGit(
      'packing',
      `case "$*" in *"diff-tree -r -p"*) env -i PATH="$PATH" HOME=/ "$real" -C "${repository.folder}" gc -q --prune=now;; esac`,
    );
    expect(await review({ environment })).toMatchObject({ exit: 0, requests: 1 });
    expect(readdirSync(join(objectsOf(), 'pack')).length).toBeGreaterThan(0);
  });

  it('and whose branch moves meanwhile is read as it stood at the start', async () => {
    const head = repository.git(['rev-parse', 'HEAD']);
    const environment = withGit(
      'moving',
      `case "$*" in *"diff-tree -r -p"*) env -i PATH="$PATH" HOME=/ "$real" -C "${repository.folder}" update-ref HEAD HEAD~1;; esac`,
    );
    const ran = await review({ environment });
    expect(ran).toMatchObject({ exit: 0, requests: 1, rows: [{ bundle: { range: { head } } }, { event: 'end' }] });
  });
});

describe('the record', () => {
  const recordsOn = (folder: string): void => {
    const machine = world.fragment();
    world.writeMachine({ ...machine, coldseal: { ...machine.coldseal, records_dir: folder } });
  };

  it('on a full disk: no row, no call', async (context) => {
    const folder = makeTestFolder();
    mountSmallDisk(context, folder, '64k');
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(65_536));
    recordsOn(folder);
    const ran = await review();
    expect([ran.exit, ran.connections]).toEqual([2, 0]);
    expect(ran.stderr).toMatch(/refused \(RECORD_UNWRITABLE\)/);
    rmSync(join(folder, 'ballast'));
    expect(await review()).toMatchObject({ exit: 0, requests: 1 });
    expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
  });

  it('that cannot be made durable: no row, no call', async () => {
    const fails = 'int f(int d){return is_record(d)?(errno=EIO,-1):(int)syscall(N,d);}\n';
    const environment = withPreload(
      tools,
      'fsync',
      `#include <errno.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n` +
        'static int is_record(int d){char p[64],t[4096];snprintf(p,64,"/proc/self/fd/%d",d);ssize_t n=readlink(p,t,4095);if(n<0)return 0;t[n]=0;return strstr(t,"/coldseal/records")!=0;}\n' +
        fails.replace('int f(', 'int fsync(').replace('N,', 'SYS_fsync,') +
        fails.replace('int f(', 'int fdatasync(').replace('N,', 'SYS_fdatasync,'),
    );
    await isRefusedCleanly(await review({ environment }), 'RECORD_UNWRITABLE', /EIO/);
  });

  it('whose clock jumps back keeps its order, and forward its months', async () => {
    const clock = (name: string, shiftSeconds: number) =>
      withPreload(
        tools,
        name,
        `#include <sys/syscall.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n` +
          `int clock_gettime(clockid_t c, struct timespec *t){int e=(int)syscall(SYS_clock_gettime,c,t);if(c==CLOCK_REALTIME)t->tv_sec+=${shiftSeconds};return e;}\n` +
          `int gettimeofday(struct timeval *t, void *z){int e=(int)syscall(SYS_gettimeofday,t,z);t->tv_sec+=${shiftSeconds};return e;}\n`,
      );
    const DAY = 86_400;
    for (const [name, days] of [
      ['ahead', 40],
      ['behind', -40],
    ] as const) {
      expect(await review({ environment: clock(name, days * DAY) })).toMatchObject({ exit: 0, requests: 1 });
    }
    const times = world.rows().map(({ time }) => String(time));
    expect(times.toSorted()).not.toEqual(times);
    const verified = await world.run(repository.folder, ['records', 'verify']);
    expect([verified.exit, verified.stderr]).toEqual([0, expect.any(String)]);
  });

  it('with no descriptor to spare: a refusal, never half a row', async () => {
    let refused = 0;
    for (const limit of [24, 28, 32, 40, 64]) {
      const before = world.rows().length;
      const ran = await review({ prefix: ['sh', '-c', `ulimit -n ${limit}; exec "$0" "$@"`] });
      const added = world.rows().length - before;
      if (ran.exit !== 0) refused += 1;
      expect([ran.exit === 0 ? 1 : 0, ran.requests]).toEqual([ran.requests, ran.exit === 0 ? 1 : 0]);
      expect(added).toBe(ran.exit === 0 ? 2 : ran.rows.length);
      expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('of two programs at once holds both runs', async () => {
    const before = world.rows().length;
    world.sandbox.play(readScript({ replies: [{}], after: 'repeat' }));
    const runs = await Promise.all(Array.from({ length: 4 }, () => world.run(repository.folder, ['review'])));
    expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    const ids = world
      .rows()
      .slice(before)
      .map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([8, 4]);
    expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
  });
});

describe('the program itself', () => {
  it('killed while the provider is awaited leaves a start without an end, which reads as unknown', async () => {
    world.sandbox.play(readScript({ replies: [{ silent: true, end: 'hang' }] }));
    const requests = world.sandbox.requests().length;
    const ran = await review({
      onStart: (child) => {
        const look = setInterval(() => {
          if (world.sandbox.requests().length === requests) return;
          clearInterval(look);
          child.kill('SIGKILL');
        }, 10);
      },
    });
    expect([ran.exit, ran.signal]).toEqual([null, 'SIGKILL']);
    expect(ran.rows).toMatchObject([{ event: 'start' }]);
    const listed = await world.run(repository.folder, ['records', 'show', 'last', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ summary: { outcome: 'unknown' } });
    expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);
  });
});

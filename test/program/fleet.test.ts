import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { type FleetWorld, openFleetWorld } from '../support/fleet-world.js';
import { makeRepository, runTestGit } from '../support/make-repository.js';
import { isWithoutRedis } from '../support/start-redis.js';
import { until } from '../support/until.js';

/** A random value in the shape of a known token, made at run time. */
const plantedToken = (): string => `ghp_${'x7Kq'.repeat(9)}`;

let world: FleetWorld;
let repository: string;
const commits: string[] = [];

beforeAll(async () => {
  world = await openFleetWorld();
  const made = makeRepository();
  for (let at = 0; at < 6; at += 1)
    commits.push(made.commit(`change ${at}`, { [`src/file-${at}.ts`]: `const at = ${at};\n` }));
  repository = join(world.folder, 'app');
  cpSync(made.folder, repository, { recursive: true });
  made.close();
}, 60_000);
afterEach(async () => {
  await world.stopWorkers();
});
afterAll(async () => {
  await world.close();
});

const rangeAt = (at: number): string => `${commits[at]}..${commits[at + 1]}`;

interface JobsDocument {
  readonly job: string;
  readonly state: string;
  readonly begun: number;
  readonly machine: string | null;
  readonly end: { readonly outcome: string; readonly code: string | null; readonly record: string | null } | null;
}

describe.skipIf(isWithoutRedis)('the fleet', { timeout: 120_000 }, () => {
  it('runs a job where a worker is, records it there, keeps the answer beside the repository', async () => {
    const machine = world.machine();
    const added = await machine.runJson(repository, [
      'jobs',
      'add',
      'change_review',
      '--range',
      rangeAt(0),
      '--route',
      'sandbox/summary-1',
    ]);
    const { job } = added.document as unknown as JobsDocument;
    expect(job).toMatch(/^job-[a-z2-7]{26}$/);
    const worker = machine.work(['--until-empty']);
    expect([await worker.ended(), worker.stderr()]).toEqual([0, expect.stringContaining('blanked')]);
    expect(worker.stderr().match(/^coldseal: job-.* ended .*$/gm)).toEqual([`coldseal: ${job} ended sent`]);
    const shown = (await machine.runJson(repository, ['jobs', 'show', job])).document as unknown as JobsDocument;
    expect(shown).toMatchObject({ state: 'ended', begun: 1, end: { outcome: 'sent', code: null } });
    expect(world.ranges()).toEqual([rangeAt(0)]);
    const rows = machine.home.rows();
    expect(rows.map(({ event, id }) => [event, id])).toEqual([
      ['start', shown.end?.record],
      ['end', shown.end?.record],
    ]);
    expect(rows[0]).toMatchObject({ digests: { job }, verb: 'review' });
    expect(readdirSync(join(repository, '.abcd', '.work.local', 'reviews'))).toContain(
      `${shown.end?.record}.answer.md`,
    );
    expect(readdirSync(join(machine.home.machineFolder, 'coldseal', 'jobs'))).toEqual([job]);
  });

  it('refuses where it runs what that machine does not allow', async () => {
    const machine = world.machine({ repositories: [join(world.folder, 'elsewhere')], providers: {} });
    mkdirSync(join(world.folder, 'elsewhere'), { recursive: true });
    const before = world.sandbox.requests().length;
    const words = ['jobs', 'add', 'change_review', '--range', rangeAt(1), '--route', 'sandbox/summary-1'];
    const { job } = (await machine.runJson(repository, words)).document as unknown as JobsDocument;
    const worker = machine.work(['--until-empty']);
    expect(await worker.ended()).toBe(0);
    expect(worker.stderr()).toContain(`coldseal: ${job} ended refused (JOB_NOT_ALLOWED)\n`);
    const shown = (await machine.runJson(repository, ['jobs', 'show', job])).document as unknown as JobsDocument;
    expect(shown.end).toMatchObject({ outcome: 'refused', code: 'JOB_NOT_ALLOWED' });
    expect(world.sandbox.requests()).toHaveLength(before);
  });

  it('plans a job without a call, and sends exactly what was planned', async () => {
    const machine = world.machine();
    const words = ['jobs', 'add', 'change_review', '--range', rangeAt(2), '--route', 'sandbox/summary-1'];
    const before = world.sandbox.requests().length;
    const planned = (await machine.runJson(repository, [...words, '--plan'])).document as unknown as JobsDocument;
    expect(await machine.work(['--until-empty']).ended()).toBe(0);
    const plan = (await machine.runJson(repository, ['jobs', 'show', planned.job])).document as unknown as {
      end: { outcome: string; approval: string };
    };
    expect(plan.end.outcome).toBe('planned');
    expect(world.sandbox.requests()).toHaveLength(before);
    const wrong = `sha256:${'0'.repeat(64)}`;
    const refused = (await machine.runJson(repository, [...words, '--expect', wrong]))
      .document as unknown as JobsDocument;
    const sent = (await machine.runJson(repository, [...words, '--expect', plan.end.approval]))
      .document as unknown as JobsDocument;
    expect(await machine.work(['--until-empty']).ended()).toBe(0);
    const ends = await Promise.all(
      [refused, sent].map(async ({ job }) => (await machine.runJson(repository, ['jobs', 'show', job])).document),
    );
    expect(ends).toMatchObject([
      { end: { outcome: 'refused', code: 'DIGEST_MISMATCH' } },
      { end: { outcome: 'sent', approval: plan.end.approval } },
    ]);
  });

  it('leaves the job of a worker that died while sending unknown, and sends it again only on a person’s word', async () => {
    const machine = world.machine();
    world.sandbox.play(readScript({ replies: [{ silent: true, end: 'hang' }] }));
    const words = ['jobs', 'add', 'change_review', '--range', rangeAt(3), '--route', 'sandbox/summary-1'];
    const { job } = (await machine.runJson(repository, words)).document as unknown as JobsDocument;
    const before = world.sandbox.requests().length;
    const first = machine.work();
    await until('the body at the provider', () => world.sandbox.requests().length > before);
    expect(await machine.runJson(repository, ['jobs', 'cancel', job])).toMatchObject({ exit: 2 });
    await first.end('SIGKILL');
    const second = machine.work();
    const shown = await until(
      'the end of the job',
      async () => {
        const document = (await machine.runJson(repository, ['jobs', 'show', job])).document as unknown as JobsDocument;
        return document.end === null ? null : document;
      },
      90_000,
    );
    expect(shown.end).toMatchObject({ outcome: 'unknown', code: 'JOB_UNKNOWN' });
    expect(world.sandbox.requests()).toHaveLength(before + 1);
    expect((await machine.runJson(repository, ['jobs', 'retry', job])).ended).toMatch(/^2 refused JOB_UNKNOWN /);
    const retried = await machine.runJson(repository, ['jobs', 'retry', job, '--may-bill-twice']);
    const [again] = (retried.document as unknown as { jobs: { job: string }[] }).jobs;
    await until('the second send', async () => {
      const document = (await machine.runJson(repository, ['jobs', 'show', again?.job ?? '']))
        .document as unknown as JobsDocument;
      return document.end?.outcome === 'sent';
    });
    expect(world.sandbox.requests()).toHaveLength(before + 2);
    expect((await machine.runJson(repository, ['jobs', 'retry', job, '--may-bill-twice'])).exit).toBe(2);
    expect([await second.end('SIGTERM'), (await machine.home.run(repository, ['records', 'verify'])).exit]).toEqual([
      143, 0,
    ]);
  });

  it('drains at SIGTERM: what runs is answered and recorded, what waits is left', async () => {
    const machine = world.machine();
    world.sandbox.play(readScript({ replies: [{ waitMs: 10_000 }] }));
    const add = async (at: number): Promise<string> => {
      const words = ['jobs', 'add', 'change_review', '--range', rangeAt(at), '--route', 'sandbox/summary-1'];
      return ((await machine.runJson(repository, words)).document as unknown as JobsDocument).job;
    };
    const before = world.sandbox.requests().length;
    const [job, waiting] = [await add(4), await add(0)];
    const worker = machine.work(['--concurrency', '1', '--lane', 'send-sandbox']);
    await until('the body at the provider', () => world.sandbox.requests().length > before);
    expect(await worker.end('SIGTERM')).toBe(143);
    const states = await Promise.all(
      [job, waiting].map(async (id) => (await machine.runJson(repository, ['jobs', 'show', id])).document),
    );
    expect(states).toMatchObject([{ end: { outcome: 'sent' } }, { state: 'waiting', begun: 0 }]);
    expect(await machine.runJson(repository, ['jobs', 'cancel', waiting])).toMatchObject({ exit: 0 });
  });

  it('runs a job on a clone of the owner’s list at its commit, and keeps its answer on the machine', async () => {
    const url = `file://${repository}`;
    const machine = world.machine({ repositories: [], clones: [url] });
    const words = [
      'jobs',
      'add',
      'change_review',
      '--clone',
      url,
      '--commit',
      commits[2] ?? '',
      '--range',
      rangeAt(1),
      '--route',
      'sandbox/summary-1',
    ];
    const { job } = (await machine.runJson(repository, words)).document as unknown as JobsDocument;
    const worker = machine.work(['--until-empty']);
    expect([await worker.ended(), worker.stderr()]).toEqual([0, expect.stringContaining('sends')]);
    const shown = (await machine.runJson(repository, ['jobs', 'show', job])).document as unknown as JobsDocument;
    expect(shown.end).toMatchObject({ outcome: 'sent' });
    expect(world.ranges().at(-1)).toBe(rangeAt(1));
    const own = join(machine.home.machineFolder, 'coldseal');
    expect(existsSync(join(own, 'answers', `${job}.answer`))).toBe(true);
    expect([readdirSync(join(own, 'clones', 'clones')).length, readdirSync(join(own, 'clones', 'views'))]).toEqual([
      1,
      [],
    ]);
  });

  it('scans in shards what one scan finds, finding for finding and in order', async () => {
    const machine = world.machine();
    const made = makeRepository();
    const files: Record<string, string> = {};
    for (let at = 0; at < 40; at += 1) {
      files[`dir-${at % 5}/file-${at}.txt`] = `${'plain text\n'.repeat(at * 20)}token = "${plantedToken()}"\n`;
    }
    made.commit('many', files);
    const folder = join(world.folder, 'many');
    cpSync(made.folder, folder, { recursive: true });
    made.close();
    runTestGit(folder, ['status']);
    const worker = machine.work(['--lane', 'scan']);
    const scan = async (shards: number) =>
      (await machine.runJson(folder, ['jobs', 'scan', '--shards', String(shards), '--wait'])).document as unknown as {
        files: number;
        findings: { file: string; start_line: number; rule: string }[];
      };
    const [one, seven] = [await scan(1), await scan(7)];
    await worker.end();
    const { group: _one, shards: _s1, ended: _e1, ...whole } = one as unknown as Record<string, unknown>;
    const { group: _seven, shards: _s7, ended: _e7, ...sharded } = seven as unknown as Record<string, unknown>;
    expect(sharded).toEqual(whole);
    expect([one.files, one.findings.length]).toEqual([40, 40]);
    const plain = JSON.parse((await machine.home.run(folder, ['scan', '--format', 'json'])).stdout) as {
      File: string;
      StartLine: number;
      RuleID: string;
    }[];
    expect(seven.findings.map(({ file, start_line, rule }) => [file, start_line, rule])).toEqual(
      plain.map(({ File, StartLine, RuleID }) => [File, StartLine, RuleID]),
    );
  });
});

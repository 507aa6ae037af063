/** Clones between jobs: bounded in bytes, never taken from under a job that reads one, and nothing is left of a view. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CloneCache, openCloneCache } from '../../../src/app/jobs/clone-cache.js';
import { ColdsealError } from '../../../src/contract/error.js';
import { type MadeRepository, makeRepository, makeTestFolder, runTestGit } from '../../support/make-repository.js';

const MINUTE_MS = 60_000;
const KIB = 1024;

describe('the clones between jobs', { timeout: 60_000 }, () => {
  let folder: string;
  let nowMs: number;
  const repositories: MadeRepository[] = [];

  beforeEach(() => {
    folder = makeTestFolder();
    nowMs = Date.now();
  });
  afterEach(() => {
    for (const one of repositories.splice(0)) one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A repository whose clone has 100 KiB that do not compress. */
  const repository = () => {
    const made = makeRepository();
    repositories.push(made);
    const commit = made.commit('large', { 'large.bin': new Uint8Array(randomBytes(100 * KIB)) });
    return { url: `file://${made.folder}`, commit };
  };

  const cacheOf = (capBytes: number): CloneCache => {
    const surroundings = {
      environment: { PATH: process.env['PATH'] ?? '', HOME: folder },
      signal: new AbortController().signal,
      random: (bytes: number) => randomBytes(bytes),
      now: () => new Date(nowMs),
    };
    return openCloneCache({ folder, capBytes, surroundings });
  };

  const clones = (): string[] => readdirSync(join(folder, 'clones')).sort();
  const nameOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 32);
  const views = (): string[] => readdirSync(join(folder, 'views'));
  const headOf = (view: string): Promise<string> => Promise.resolve(runTestGit(view, ['rev-parse', 'HEAD']).trim());

  it('lets the one go that was used longest ago, and fetches it again when it is asked for', async () => {
    const cache = cacheOf(250 * KIB);
    const [first, second, third] = [repository(), repository(), repository()];
    for (const { url, commit } of [first, second]) {
      expect(await cache.withCommit(url, commit, headOf)).toBe(commit);
      nowMs += 20 * MINUTE_MS;
    }
    expect(clones()).toHaveLength(2);
    // The first is used again, so the second is the one to leave.
    await cache.withCommit(first.url, first.commit, headOf);
    nowMs += 20 * MINUTE_MS;
    await cache.withCommit(third.url, third.commit, headOf);
    expect(clones()).toEqual([nameOf(first.url), nameOf(third.url)].sort());
    expect(await cache.withCommit(second.url, second.commit, headOf)).toBe(second.commit);
    expect([clones().length, views()]).toEqual([2, []]);
  });

  it('keeps one that a job reads, whatever the bound is', async () => {
    const cache = cacheOf(150 * KIB);
    const [first, second] = [repository(), repository()];
    await cache.withCommit(first.url, first.commit, async (view) => {
      nowMs += 60 * MINUTE_MS;
      await cache.withCommit(second.url, second.commit, headOf);
      expect(clones()).toHaveLength(2);
      expect(runTestGit(view, ['cat-file', '-t', `${first.commit}:large.bin`]).trim()).toBe('blob');
    });
    nowMs += 60 * MINUTE_MS;
    await cache.withCommit(second.url, second.commit, headOf);
    expect(clones()).toHaveLength(1);
  });

  it('keeps one that was used within a quarter of an hour, but no more than twice the bound', async () => {
    const cache = cacheOf(150 * KIB);
    const [first, second, third] = [repository(), repository(), repository()];
    for (const { url, commit } of [first, second]) {
      await cache.withCommit(url, commit, headOf);
      nowMs += MINUTE_MS;
    }
    expect(clones()).toHaveLength(2);
    await cache.withCommit(third.url, third.commit, headOf);
    expect(clones()).toEqual([nameOf(second.url), nameOf(third.url)].sort());
  });

  it('refuses a clone that alone is over the bound, and leaves nothing of it', async () => {
    const { url, commit } = repository();
    const reason: unknown = await cacheOf(10 * KIB)
      .withCommit(url, commit, headOf)
      .catch((error: unknown) => error);
    expect(reason instanceof ColdsealError ? [reason.code, reason.facts] : reason).toEqual([
      'JOB_TOO_LARGE',
      { bytes: expect.any(Number), limit_bytes: 10 * KIB },
    ]);
    expect(clones()).toEqual([]);
  });

  it('removes the view of a job that failed, and those that dead workers left a day ago', async () => {
    const { url, commit } = repository();
    const cache = cacheOf(1024 * KIB);
    for (const [name, ageMs] of [
      ['dead', 25 * 60 * MINUTE_MS],
      ['running', MINUTE_MS],
    ] as const) {
      mkdirSync(join(folder, 'views', name), { recursive: true });
      const used = new Date(nowMs - ageMs);
      utimesSync(join(folder, 'views', name), used, used);
    }
    const failed = await cache.withCommit(url, commit, () => Promise.reject(new Error('no'))).catch(() => 'failed');
    expect([failed, views()]).toEqual(['failed', ['running']]);
  });
});

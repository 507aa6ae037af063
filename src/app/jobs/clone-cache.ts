/**
 * Bare clones of the owner's list, kept between jobs and bounded in bytes: those used longest ago leave first. A job gets
 * a git folder of its own over a clone's objects, with the job's commit as HEAD, so that jobs on one clone do not meet.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { fetchCommit, holdsCommit, makeGitFolder } from '../../git/fetch-commit.js';
import type { Surroundings } from '../surroundings.js';

export interface CloneCache {
  /** Runs `work` in a git folder whose HEAD is the commit. `GIT_FAILED`, `JOB_TOO_LARGE`. */
  withCommit<T>(url: string, commit: string, work: (folder: string) => Promise<T>): Promise<T>;
}

export interface CloneCacheSettings {
  /** Absolute. */
  readonly folder: string;
  readonly capBytes: number;
  readonly surroundings: Pick<Surroundings, 'environment' | 'signal' | 'random' | 'now'>;
}

/** A clone that another process may be reading: it was used in the last 15 minutes. */
const IN_USE_MS = 15 * 60_000;
/** A view whose worker died. */
const STALE_VIEW_MS = 24 * 3600 * 1000;

export const openCloneCache = ({ folder, capBytes, surroundings }: CloneCacheSettings): CloneCache => {
  const turns = new Map<string, Promise<unknown>>();
  const inUse = new Map<string, number>();

  /** One at a time for a clone; of this process. Git's own locks keep others apart. */
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
    turns.set(name, turn);
    return turn;
  };

  const fetched = async (url: string, commit: string, name: string): Promise<string> => {
    const clone = join(folder, 'clones', name);
    const { environment, signal } = surroundings;
    await mkdir(clone, { recursive: true, mode: 0o700 });
    if (!(await holdsCommit(clone, commit))) {
      await makeRoom(name);
      await fetchCommit({ url, commit, clone, environment, signal });
      const bytes = await bytesBelow(clone);
      if (bytes > capBytes) {
        await rm(clone, { recursive: true, force: true });
        throw new ColdsealError(
          'JOB_TOO_LARGE',
          `the clone has ${bytes} bytes; all clones together may have ${capBytes} (coldseal.queue.clones_cap)`,
          { facts: { bytes, limit_bytes: capBytes } },
        );
      }
    }
    const now = surroundings.now();
    await utimes(clone, now, now);
    await makeRoom(name);
    return clone;
  };

  /** Clones used longest ago leave until the rest fits. One that is being read stays, so the bound can be passed a while. */
  const makeRoom = async (kept: string): Promise<void> => {
    const found = await clonesIn(join(folder, 'clones'));
    let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    const oldestUse = surroundings.now().getTime() - IN_USE_MS;
    for (const { name, bytes, usedMs } of found.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (total <= capBytes) return;
      const isFree = name !== kept && !inUse.has(name) && (usedMs < oldestUse || total > 2 * capBytes);
      if (!isFree) continue;
      await rm(join(folder, 'clones', name), { recursive: true, force: true });
      total -= bytes;
    }
  };

  return {
    withCommit: async (url, commit, work) => {
      const name = createHash('sha256').update(url).digest('hex').slice(0, 32);
      inUse.set(name, (inUse.get(name) ?? 0) + 1);
      const view = join(folder, 'views', Buffer.from(surroundings.random(12)).toString('hex'));
      try {
        const clone = await inTurn(name, () => fetched(url, commit, name));
        await sweepViews(join(folder, 'views'), surroundings.now().getTime());
        await makeGitFolder(view, `${commit}\n`, commit);
        await writeFile(join(view, 'objects', 'info', 'alternates'), `${join(clone, 'objects')}\n`, { mode: 0o600 });
        return await work(view);
      } finally {
        await rm(view, { recursive: true, force: true });
        const left = (inUse.get(name) ?? 1) - 1;
        if (left === 0) inUse.delete(name);
        else inUse.set(name, left);
      }
    },
  };
};

const clonesIn = async (folder: string) => {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const facts = await stat(join(folder, name)).catch(() => null);
      return { name, bytes: await bytesBelow(join(folder, name)), usedMs: facts?.mtimeMs ?? 0 };
    }),
  );
};

const bytesBelow = async (folder: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
};

const sweepViews = async (folder: string, nowMs: number): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => null);
    if (facts !== null && facts.mtimeMs < nowMs - STALE_VIEW_MS) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
};

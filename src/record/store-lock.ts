/**
 * The exclusive lock between processes. Node has no flock, and what kernels offer instead is not in every system, so the
 * lock is a symbolic link that is never followed: making one is atomic and exclusive, and its target names the holder, so
 * a lock without a holder's name cannot exist.
 *
 * A lock whose holder is dead is not simply removed: two waiters could both see it, and the slower one would remove the
 * faster one's new lock. First a waiter takes the right to remove it, a second link named after the dead holder's token,
 * which only one process can make. Tokens are never used again, so a right that comes too late finds another token in
 * the lock and does nothing. A right whose holder died passes on the same way. Libraries that renew a lock by time
 * (proper-lockfile) were rejected: a stopped holder that wakes up would write beside its successor.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessMark, ProcessTable } from './process-mark.js';
import { judgeLife } from './process-mark.js';
import { errorCode, type RecordFiles } from './record-files.js';
import { inFolder } from './record-folder.js';
import type { LineSource } from './row-stream.js';
import { refuseStore } from './unwritable.js';

export interface LockSettings {
  readonly files: RecordFiles;
  readonly folder: string;
  readonly self: ProcessMark;
  /** Unique to this store object; never used by another, in this process or any other. */
  readonly token: string;
  readonly processes: ProcessTable;
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** In [0, 1): spreads the waiters. */
  readonly chance: () => number;
}

interface Holder extends ProcessMark {
  readonly token: string;
}

const LOCK = 'lock';
const RIGHT = 'lock-right-';
/** A waiter looks again after 1 to 16 ms: a row takes a few. */
const LONGEST_PAUSE_MS = 16;
/** Rights of dead waiters in a row; each needs another process to die within a few system calls. */
const LONGEST_LINE = 32;

/** From the system, never from a caller's random: a seed used twice would give two processes one lock. */
export const lockToken = (): string => randomBytes(16).toString('hex');

/** With the system's clock and timers. */
export function lockSettings(
  source: LineSource,
  self: ProcessMark,
  token: string,
  processes: ProcessTable,
  timeoutMs: number,
): LockSettings {
  return {
    files: source.files,
    folder: source.folder,
    self,
    token,
    processes,
    timeoutMs,
    monotonicMs: () => performance.now(),
    pause: (ms) => pause(ms),
    chance: Math.random,
  };
}

/** Runs `work` while holding the lock. Rejects with `RECORD_UNWRITABLE` when the time is over. */
export async function withStoreLock<T>(settings: LockSettings, work: () => Promise<T>): Promise<T> {
  await takeLock(settings);
  try {
    return await work();
  } finally {
    // What was done is done: a lock that cannot be removed is still ours at the next row, and dead with this process.
    await settings.files.unlink(inFolder(settings.folder, LOCK)).catch(() => undefined);
  }
}

async function takeLock(settings: LockSettings): Promise<void> {
  const path = inFolder(settings.folder, LOCK);
  const giveUpAtMs = settings.monotonicMs() + settings.timeoutMs;
  const mine = JSON.stringify({ ...settings.self, token: settings.token } satisfies Holder);
  for (let tries = 0; ; tries += 1) {
    if (await tryLink(settings.files, mine, path)) return;
    const holder = await readHolder(settings.files, path);
    // Ours already: an earlier release failed. Nobody else in this store object is between take and release.
    if (holder?.token === settings.token) return;
    const life = holder === null ? 'alive' : await judgeLife(holder, settings.self, settings.processes);
    if (holder !== null && life === 'dead' && (await removeDeadLock(settings, holder, mine))) continue;
    if (settings.monotonicMs() >= giveUpAtMs) throw lockTimeout(settings, path, holder, life);
    await settings.pause(1 + settings.chance() * Math.min(LONGEST_PAUSE_MS - 1, 2 + tries));
  }
}

/** Removes the lock of a dead holder, if the right to do so can be had: then `true`. */
async function removeDeadLock(settings: LockSettings, dead: Holder, mine: string): Promise<boolean> {
  const { files, folder } = settings;
  const rights = await takeRight(settings, dead.token, mine);
  if (rights === null) return false;
  const path = inFolder(folder, LOCK);
  if ((await readHolder(files, path))?.token === dead.token) await unlinkIfThere(files, path);
  // The dead holder's token is gone from the lock for good, so these are rights to nothing.
  for (const right of rights) await unlinkIfThere(files, right);
  return true;
}

/** The links that make up our right, ours first; `null` when a living process has it. */
async function takeRight(settings: LockSettings, token: string, mine: string): Promise<readonly string[] | null> {
  const rights: string[] = [];
  let of = token;
  for (let place = 0; place < LONGEST_LINE; place += 1) {
    const right = inFolder(settings.folder, RIGHT + of);
    rights.unshift(right);
    if (await tryLink(settings.files, mine, right)) return rights;
    const owner = await readHolder(settings.files, right);
    if (owner === null) return null;
    if (owner.token === settings.token) return rights;
    if ((await judgeLife(owner, settings.self, settings.processes)) !== 'dead') return null;
    of = owner.token;
  }
  return null;
}

async function tryLink(files: RecordFiles, target: string, path: string): Promise<boolean> {
  try {
    await files.symlink(target, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** `null` when the link is gone by now. */
async function readHolder(files: RecordFiles, path: string): Promise<Holder | null> {
  let target: string;
  try {
    target = await files.readlink(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EINVAL') throw foreignLock(path);
    throw error;
  }
  const holder = parseHolder(target);
  if (holder === null) throw foreignLock(path);
  return holder;
}

function parseHolder(target: string): Holder | null {
  let value: unknown;
  try {
    value = JSON.parse(target);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { host, boot, space, pid, start, token } = value as Record<keyof Holder, unknown>;
  if (typeof host !== 'string' || typeof boot !== 'string' || typeof space !== 'string') return null;
  if (typeof pid !== 'number' || typeof start !== 'string') return null;
  if (typeof token !== 'string' || !/^[0-9a-z]+$/.test(token)) return null;
  return { host, boot, space, pid, start, token };
}

async function unlinkIfThere(files: RecordFiles, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

const foreignLock = (path: string) =>
  refuseStore(`${path} is not a lock of ours`, 'Remove it when no other run is going on.');

function lockTimeout(settings: LockSettings, path: string, holder: Holder | null, life: string) {
  const who = holder === null ? 'others in turn' : `process ${holder.pid} on ${holder.host}`;
  const wayOut =
    life === 'unknown'
      ? `That process cannot be judged from here (another container or machine). When it is surely gone: rm ${path}`
      : 'Try again when it has ended.';
  return refuseStore(`the lock was held by ${who} for ${settings.timeoutMs} ms`, wayOut);
}

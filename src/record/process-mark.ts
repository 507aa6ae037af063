/**
 * Who holds the lock, in words that outlive the holder: machine, process-id space, process id and the moment that process
 * started. An id alone is not enough, ids are used again. "Dead" is only ever said when it is certain: a holder in
 * another container or on another machine cannot be judged from here and counts as alive.
 */
import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { errorCode } from './record-files.js';

export interface ProcessMark {
  readonly host: string;
  /** The kernel's id of this boot, `-` where there is none. */
  readonly boot: string;
  /** The kernel's name of the process-id namespace, `-` where there is none. */
  readonly space: string;
  readonly pid: number;
  /** Clock ticks since boot on Linux, the start time that `ps` prints elsewhere. */
  readonly start: string;
}

export type Life = 'alive' | 'dead' | 'unknown';

type Sighting =
  | { readonly kind: 'running'; readonly start: string }
  /** No such process, or only remains that nobody has reaped yet and that cannot act any more. */
  | { readonly kind: 'gone' }
  /** Something is there and the system does not say when it started. */
  | { readonly kind: 'hidden' };

/** What the system says of its processes. */
export interface ProcessTable {
  look(pid: number): Promise<Sighting>;
  boot(): Promise<string>;
  space(): Promise<string>;
}

const run = promisify(execFile);

/** Linux: `/proc`. */
export const PROC_TABLE: ProcessTable = {
  async look(pid) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null) return isThere(pid) ? { kind: 'hidden' } : { kind: 'gone' };
    // The name in brackets may hold anything, brackets too; the fields after the last one are plain.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, start] = [fields[0], Number(fields[17]), fields[19]];
    // A killed process may still have a thread inside a write when its first one is gone: dead is when all are.
    if ((state === 'Z' || state === 'X') && threads <= 1) return { kind: 'gone' };
    return start === undefined ? { kind: 'hidden' } : { kind: 'running', start };
  },
  boot: async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '-')).trim(),
  space: () => readlink('/proc/self/ns/pid').catch(() => '-'),
};

/** Anywhere else: `ps`, in a fixed language and time zone. */
export const PS_TABLE: ProcessTable = {
  async look(pid) {
    const environment = { LC_ALL: 'C', TZ: 'UTC' };
    const start = await run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: environment }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
    if (start !== '') return { kind: 'running', start };
    return isThere(pid) ? { kind: 'hidden' } : { kind: 'gone' };
  },
  boot: async () => '-',
  space: async () => '-',
};

export const SYSTEM_TABLE: ProcessTable = process.platform === 'linux' ? PROC_TABLE : PS_TABLE;

export async function markOfSelf(table: ProcessTable): Promise<ProcessMark> {
  const [boot, space, seen] = await Promise.all([table.boot(), table.space(), table.look(process.pid)]);
  return { host: hostname(), boot, space, pid: process.pid, start: seen.kind === 'running' ? seen.start : '-' };
}

/** Whether the process behind a mark can still act. */
export async function judgeLife(mark: ProcessMark, self: ProcessMark, table: ProcessTable): Promise<Life> {
  if (mark.boot === '-' || self.boot === '-') {
    if (mark.boot !== self.boot || mark.host !== self.host) return 'unknown';
  } else if (mark.boot !== self.boot) {
    // The same machine after a restart, or another machine on a shared folder.
    return mark.host === self.host ? 'dead' : 'unknown';
  }
  if (mark.space !== self.space) return 'unknown';
  const seen = await table.look(mark.pid);
  if (seen.kind === 'gone') return 'dead';
  if (seen.kind === 'hidden' || mark.start === '-') return 'unknown';
  return seen.start === mark.start ? 'alive' : 'dead';
}

/** Signal 0 reaches anything with that id, an unreaped process too. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

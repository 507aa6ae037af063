/** What a process holds by the kernel's own account, so that a test can say that nothing was left behind. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Held {
  readonly descriptors: number;
  readonly threads: number;
  readonly children: number;
  /** Entries of the folder for temporary files. */
  readonly temporary: number;
  /** Listeners on the process itself. */
  readonly listeners: number;
}

/** Children of every thread of this process, ended ones that nobody waited for included. */
export const childrenOfSelf = (): readonly number[] =>
  readdirSync('/proc/self/task').flatMap((thread) => {
    const file = `/proc/self/task/${thread}/children`;
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number);
  });

export const heldNow = (temporaryFolder: string): Held => ({
  descriptors: readdirSync('/proc/self/fd').length,
  threads: readdirSync('/proc/self/task').length,
  children: childrenOfSelf().length,
  temporary: readdirSync(temporaryFolder).length,
  listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
});

/** Memory of a child process by the kernel's own account, read while it runs. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface MemoryWatch {
  /** The most memory it held so far, bytes. */
  peakBytes(): number;
  stop(): void;
}

const POLL_MS = 10;

/** `VmHWM` only grows, so the last reading before the end is the peak but for the last few milliseconds. */
export const watchMemory = (child: Pick<ChildProcess, 'pid'>): MemoryWatch => {
  let peak = 0;
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, POLL_MS);
  return { peakBytes: () => peak, stop: () => clearInterval(timer) };
};

/** A scanner that adds up how long its threads were in the engine. */
import type { Scanner } from '../../contract/scan.js';

export interface BusyScanner extends Scanner {
  /** Milliseconds, summed over threads, since it was last asked. */
  takeBusyMs(): number;
}

export const busyScanner = (scanner: Scanner): BusyScanner => {
  let busyMs = 0;
  const counted = <T extends { readonly busyMs: number }>(reply: T): T => {
    busyMs += reply.busyMs;
    return reply;
  };
  return {
    rulesDigest: scanner.rulesDigest,
    threads: scanner.threads,
    scan: async (batch, signal) => counted(await scanner.scan(batch, signal)),
    echo: async (batch, signal) => counted(await scanner.echo(batch, signal)),
    close: () => scanner.close(),
    takeBusyMs: () => {
      const taken = busyMs;
      busyMs = 0;
      return taken;
    },
  };
};

/** The service's one pool as its requests see it: counted, and stopped by whoever waits. */
import { expect, it } from 'vitest';
import { countBytes } from '../../../src/app/service/shared-scanner.js';
import type { EchoBatch, ScanBatch } from '../../../src/contract/scan.js';
import type { ScanPool } from '../../../src/pool/scan-pool.js';

const inputs = [{ ref: 0, offset: 0, length: 7 }];
const scanned = { task: 'scan', inputs } as unknown as ScanBatch;
const echoed = { task: 'echo', inputs } as unknown as EchoBatch;

it('hands the signal of whoever waits to the threads, for a scan as for an echo', async () => {
  const heard: (AbortSignal | undefined)[] = [];
  const hear = async (_batch: unknown, signal?: AbortSignal) => {
    heard.push(signal);
    return { outcomes: [], busyMs: 0 };
  };
  const scanner = countBytes({ scan: hear, echo: hear } as unknown as ScanPool);
  const { signal } = new AbortController();
  await scanner.scan(scanned, signal);
  await scanner.echo(echoed, signal);
  expect(heard).toEqual([signal, signal]);
});

it('counts bytes while a thread has them or they wait for one, and no longer', async () => {
  let under = 0;
  const look = async () => {
    under = scanner.bytesUnderWay();
    throw new Error('a thread died');
  };
  const scanner = countBytes({ scan: look, echo: look } as unknown as ScanPool);
  await expect(scanner.scan(scanned)).rejects.toThrow('a thread died');
  expect([under, scanner.bytesUnderWay()]).toEqual([7, 0]);
});

/**
 * The one pool of scan threads of a service, shared by all of its requests: every rule is compiled once. What is counted
 * here is what no thread knows: the bytes that its callers hold for it.
 */
import type { ScanBatch } from '../../contract/scan.js';
import type { ScanPool } from '../../pool/scan-pool.js';

export interface SharedScanner extends ScanPool {
  /** Bytes that are with a thread or wait for one. */
  bytesUnderWay(): number;
}

export const countBytes = (pool: ScanPool): SharedScanner => {
  let bytes = 0;
  const counted = async <T>({ inputs }: Pick<ScanBatch, 'inputs'>, work: () => Promise<T>): Promise<T> => {
    const own = inputs.reduce((sum, { length }) => sum + length, 0);
    bytes += own;
    try {
      return await work();
    } finally {
      bytes -= own;
    }
  };
  return {
    ...pool,
    scan: (batch, signal) => counted(batch, () => pool.scan(batch, signal)),
    echo: (batch, signal) => counted(batch, () => pool.echo(batch, signal)),
    bytesUnderWay: () => bytes,
  };
};

/** A sealed bundle for tests of what comes after the seal: the bytes given, with made-up facts around them. */
import { createHash } from 'node:crypto';
import type { SealedBundle } from '../../src/contract/bundle.js';

export const madeBundle = (message: string | Uint8Array, system = 'You review changes.'): SealedBundle => {
  const bytes = Buffer.from(message);
  const facts = {
    kind: 'change_review',
    listOrigin: 'compiled',
    project: null,
    range: null,
    items: [],
    deleted: [],
    message: bytes,
    system: Buffer.from(system),
    bytes: bytes.length,
    rawBytes: bytes.length,
    cap: { bytes: 4194304, origin: 'default', key: 'oracle.bundles.cap' },
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    blanked: [],
    unscannedAtAssembly: null,
    scannedNow: null,
  };
  return facts as unknown as SealedBundle;
};

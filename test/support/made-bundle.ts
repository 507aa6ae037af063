/** A sealed bundle for tests of what comes after the seal: the bytes given, with made-up facts around them. */
import { blank } from '../../src/bundle/blank.js';
import { seal } from '../../src/bundle/seal.js';
import { LARGEST_CAP_BYTES, type SealedBundle } from '../../src/contract/bundle.js';

/** Nothing in it is blanked: the bytes are taken for text that held no secret. The memory is shared, as a real seal's is. */
export const madeBundle = (message: string | Uint8Array, system = 'You review changes.'): SealedBundle => {
  const bytes = Buffer.from(message);
  return seal(
    {
      kind: 'change_review',
      listOrigin: 'compiled',
      project: null,
      range: null,
      items: [],
      deleted: [],
      deletedBlanked: [],
      bytes: bytes.length,
      rawBytes: bytes.length,
      cap: { bytes: LARGEST_CAP_BYTES, origin: 'machine', key: 'oracle.bundles.cap' },
      blanked: [],
      unscannedAtAssembly: null,
      scannedNow: null,
    },
    { message: blank([bytes], new Map()).bytes, system: blank([Buffer.from(system)], new Map()).bytes },
  );
};

/**
 * The only maker of `SealedBundle`: what is sealed is blanked, under its cap, and named by the digest of its bytes.
 */
import { createHash } from 'node:crypto';
import type { BlankedBytes, SealedBundle } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { BundleDescription } from './describe-bundle.js';

/** `sha256:` and 64 hex digits. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Digests of messages that are still held. */
const known = new WeakMap<BlankedBytes, string>();

/** The same of a message, hashed once: what is blanked is not written to afterwards. */
export const messageDigest = (message: BlankedBytes): string => {
  const digest = known.get(message) ?? digestOf(message);
  known.set(message, digest);
  return digest;
};

/**
 * `message` and `system` stay where they are and must not be written to afterwards.
 *
 * `INTERNAL` when the bundle is over its cap: whoever seals has refused that before.
 */
export const seal = (
  description: Omit<BundleDescription, 'digest'>,
  content: { readonly message: BlankedBytes; readonly system: BlankedBytes },
): SealedBundle => {
  const { bytes, cap } = description;
  if (bytes > cap.bytes) {
    throw new ColdsealError(
      'INTERNAL',
      `a bundle of ${bytes} bytes cannot be sealed under a cap of ${cap.bytes} bytes`,
    );
  }
  return Object.freeze({ ...description, ...content, digest: messageDigest(content.message) }) as SealedBundle;
};

/** Fingerprints of values: keyed, so that they let the owner allow one value and tell nobody else anything about it. */
import { createHmac } from 'node:crypto';
import { readFingerprintKey } from '../config/fingerprint-key.js';
import { ColdsealError } from '../contract/error.js';
import type { Settings } from '../contract/settings.js';

/** `fp-` + 40 hex digits over rule and value. */
export const fingerprintOf = (key: Uint8Array, ruleId: string, value: Uint8Array): string =>
  `fp-${createHmac('sha256', key).update(ruleId).update('\0').update(value).digest('hex').slice(0, 40)}`;

/**
 * True for what the owner allowed in the machine file. Without an entry no key is read; an entry without a key is
 * `CONFIG_INVALID`, because it could never match.
 */
export const allowedFingerprints = async (
  settings: Pick<Settings, 'own' | 'machineFolder' | 'machineFile'>,
  uid: number,
): Promise<(ruleId: string, value: Uint8Array) => boolean> => {
  const allowed = new Set(settings.own.allow.map(({ fingerprint }) => fingerprint));
  if (allowed.size === 0) return () => false;
  const key = await readFingerprintKey(settings.machineFolder, uid);
  if (key === null) {
    throw new ColdsealError(
      'CONFIG_INVALID',
      'coldseal.allow names fingerprints, and this machine has no fingerprint key, so they can match nothing. Take them anew from `coldseal scan --format json`.',
    );
  }
  return (ruleId, value) => allowed.has(fingerprintOf(key, ruleId, value));
};

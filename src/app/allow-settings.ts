/**
 * The findings that the owner allowed, by their fingerprints. A fingerprint is of one value under one rule and keyed with
 * this machine's key, so an entry from another machine could never match and is refused where it would be written.
 */

import { readFingerprintKey } from '../config/fingerprint-key.js';
import type { JsonValue } from '../config/json-document.js';
import type { WrittenMachineFile } from '../config/write-machine-file.js';
import { ColdsealError } from '../contract/error.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import type { AllowedFingerprint } from '../contract/settings.js';
import { writeSettings } from './edit-settings.js';
import { readMachineSettings } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

export type { AllowedFingerprint };

const PATH = ['coldseal', 'allow'];

export const listAllowed = async (surroundings: Surroundings): Promise<readonly AllowedFingerprint[]> =>
  (await readMachineSettings(surroundings)).settings.own.allow;

const isOf =
  (fingerprint: string) =>
  (entry: JsonValue): boolean =>
    typeof entry === 'object' &&
    entry !== null &&
    Object.entries(entry).some(([name, value]) => name === 'fingerprint' && value === fingerprint);

const FINGERPRINT = /^fp-[0-9a-f]{40}$/;
const LONGEST_REASON_BYTES = 1024;

/** One that is there already gets the new reason. */
export const addAllowed = async (
  surroundings: Surroundings,
  { fingerprint, reason }: AllowedFingerprint,
): Promise<WrittenMachineFile> => {
  if (!FINGERPRINT.test(fingerprint)) {
    throw new ColdsealError(
      'USAGE',
      'FINGERPRINT is `fp-` and 40 hex digits, as `coldseal scan --format json` prints it',
    );
  }
  const reasonBytes = Buffer.byteLength(reason);
  if (reasonBytes === 0 || reasonBytes > LONGEST_REASON_BYTES) {
    throw new ColdsealError(
      'USAGE',
      `--reason has ${reasonBytes} bytes; it takes 1 to ${LONGEST_REASON_BYTES}: say why this value may leave`,
    );
  }
  const { settings } = await readMachineSettings(surroundings);
  if ((await readFingerprintKey(settings.machineFolder, surroundings.uid)) === null) {
    throw new ColdsealError(
      'USAGE',
      'this machine has no fingerprint key yet, so FINGERPRINT is of another machine and would match nothing; take it from `coldseal scan --format json`',
    );
  }
  const known = settings.own.allow.find((one) => one.fingerprint === fingerprint);
  const value = { fingerprint, reason };
  return writeSettings(
    surroundings,
    known === undefined || known.reason === reason
      ? [{ kind: 'append', path: PATH, value }]
      : [
          { kind: 'remove', path: PATH, isEntry: isOf(fingerprint) },
          { kind: 'append', path: PATH, value },
        ],
    [],
  );
};

/** `USAGE` for one that is not there. */
export const removeAllowed = async (surroundings: Surroundings, fingerprint: string): Promise<WrittenMachineFile> => {
  const known = (await listAllowed(surroundings)).map((one) => one.fingerprint);
  if (!known.includes(fingerprint)) {
    const near = nearestName(fingerprint, known);
    throw new ColdsealError(
      'USAGE',
      `FINGERPRINT is not allowed${orNearest(near, '`coldseal allow list` shows what is')}`,
    );
  }
  return writeSettings(surroundings, [{ kind: 'remove', path: PATH, isEntry: isOf(fingerprint) }], []);
};

/**
 * The per-machine key of fingerprints, `coldseal/fingerprint-key` in the machine folder: 32 random bytes, 0600. With it a
 * fingerprint says "this value under this rule" to the owner and nothing to anybody else.
 */
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';

const KEY_BYTES = 32;

const pathOf = (machineFolder: string): string => join(machineFolder, 'coldseal', 'fingerprint-key');

const unsafe = (path: string, why: string, cause?: unknown): ColdsealError =>
  new ColdsealError(
    'CONFIG_UNSAFE',
    `The fingerprint key ${printable(path)} ${why}. Give it mode 0600 and yourself as owner, or remove it and allow the fingerprints anew.`,
    { cause },
  );

/** `null` when there is none yet. `CONFIG_UNSAFE` for one that others may read or that is not whole. */
export async function readFingerprintKey(machineFolder: string, uid: number): Promise<Uint8Array | null> {
  const path = pathOf(machineFolder);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return null;
    throw unsafe(path, 'cannot be opened', fault);
  });
  if (file === null) return null;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.uid !== uid || (facts.mode & 0o077) !== 0) throw unsafe(path, 'is not yours alone');
    const key = await file.readFile();
    if (key.length !== KEY_BYTES) throw unsafe(path, `has ${key.length} bytes, not ${KEY_BYTES}`);
    return key;
  } finally {
    await file.close();
  }
}

/** The key, made now when there is none. Two processes that make it at once agree on the first. */
export async function ensureFingerprintKey(
  machineFolder: string,
  uid: number,
  random: (bytes: number) => Uint8Array,
): Promise<Uint8Array> {
  const known = await readFingerprintKey(machineFolder, uid);
  if (known !== null) return known;
  const path = pathOf(machineFolder);
  await mkdir(join(machineFolder, 'coldseal'), { recursive: true, mode: 0o700 });
  const key = random(KEY_BYTES);
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'EEXIST') return null;
      throw unsafe(path, 'cannot be written', fault);
    },
  );
  if (file === null) return (await readFingerprintKey(machineFolder, uid)) ?? key;
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
  }
  return key;
}

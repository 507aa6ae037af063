/**
 * The bearer token. Drawn anew at each start and written to a file of the owner's alone, which goes when the service does;
 * or the owner's own file, for a client that outlives a start. Whoever can read the file may use the service.
 */
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';

export interface ServiceToken {
  readonly token: string;
  readonly file: string;
  /** Removes a file of our own that still holds this token. */
  remove(): Promise<void>;
}

const TOKEN_BYTES = 32;
const LEAST_CHARACTERS = 32;
const LARGEST_FILE_BYTES = 4096;
const OWN_FILE_MODE = 0o077;

const unsafe = (message: string, cause?: unknown): ColdsealError =>
  new ColdsealError('CONFIG_UNSAFE', message, cause === undefined ? {} : { cause });

/** `CONFIG_UNSAFE` for a file that is a link, somebody else's, open to others, or holds no token of 32 characters or more. */
export const readOwnersToken = async (file: string, uid: number): Promise<ServiceToken> => {
  const what = `the token file ${printable(file)} (coldseal.service.token_file)`;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw unsafe(`${what} cannot be read; it must be a plain file of yours with mode 0600`, cause);
    },
  );
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw unsafe(`${what} is no plain file`);
    if (facts.uid !== uid) throw unsafe(`${what} belongs to user ${facts.uid}, not to you (user ${uid})`);
    if ((facts.mode & OWN_FILE_MODE) !== 0) throw unsafe(`${what} is open to others; run chmod 600 on it`);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(LARGEST_FILE_BYTES));
    const token = buffer.toString('utf8', 0, bytesRead).trim();
    if (!/^[\x21-\x7e]+$/.test(token) || token.length < LEAST_CHARACTERS) {
      throw unsafe(`${what} must hold one token of ${LEAST_CHARACTERS} or more visible ASCII characters`);
    }
    return { token, file, remove: () => Promise.resolve() };
  } finally {
    await handle.close();
  }
};

/** @param name says which listener the token is for, so that two services never take each other's */
export const drawToken = async (
  machineFolder: string,
  name: string,
  random: (bytes: number) => Uint8Array,
): Promise<ServiceToken> => {
  const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  const file = join(machineFolder, 'coldseal', 'service', `${name.replace(/[^A-Za-z0-9.-]/g, '_')}.token`);
  const draft = `${file}.${Buffer.from(random(6)).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(draft, flags, 0o600);
    try {
      await handle.writeFile(`${token}\n`);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (cause) {
    throw unsafe(
      `the token could not be written to ${printable(file)}; the machine folder must be yours to write`,
      cause,
    );
  }
  const remove = async (): Promise<void> => {
    const held = await readFile(file, 'utf8').catch(() => null);
    if (held?.trim() === token) await unlink(file).catch(() => undefined);
  };
  return { token, file, remove };
};

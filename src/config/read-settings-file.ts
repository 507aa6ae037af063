/**
 * Opens a settings file without trusting it: the file is opened first and judged by its descriptor, so nothing can be
 * exchanged between the look and the read. A link is refused by the open itself, a pipe does not block it, and the bound
 * of 1 MiB is counted while reading, because a file can grow after its size was told.
 *
 * The calls are synchronous: some microseconds each, where a promise waits for its turn behind whatever the thread pool
 * has to do. A gate reads the machine file twice for every call.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { type JsonNode, type Place, type Problem, placeFinder } from './json-document.js';
import { readStrictJson } from './strict-json.js';

export const LARGEST_SETTINGS_BYTES = 1024 * 1024;

/** A settings file as read. `root` is `null` when its JSON could not be read to the end; `problems` then says why. */
export interface SettingsDocument {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  /** `sha256:` + hex over the bytes read. */
  readonly digest: string;
  readonly root: JsonNode | null;
  readonly problems: readonly Problem[];
  readonly placeOf: (offset: number) => Place;
}

export interface SettingsFileRules {
  /** The caller. The file must be the caller's or root's. */
  readonly uid: number;
  /** Refuse a file that its group or anybody else may write: the machine file. */
  readonly privateWrites: boolean;
}

/**
 * Reads a settings file, or answers `null` where there is none. `CONFIG_UNSAFE`: a link, no regular file, a foreign
 * owner, writable by others, unreadable. `CONFIG_INVALID`: over 1 MiB. Faults of the JSON are in `problems`.
 */
export async function readSettingsFile(file: string, rules: SettingsFileRules): Promise<SettingsDocument | null> {
  const bytes = readSafely(file, rules);
  if (bytes === null) return null;
  const { text, root, problems } = readStrictJson(bytes);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { file, text, digest, root, problems, placeOf: placeFinder(text) };
}

/** Refuses whoever owns something that should be the caller's own; `what` starts the sentence. */
export function refuseForeignOwner(what: string, stats: Stats, owners: readonly number[]): void {
  if (owners.includes(stats.uid)) return;
  throw unsafe(`${what} belongs to user ${stats.uid}, not to you (user ${owners[0]}); take it over or remove it.`);
}

/** Refuses what its group or anybody else may write. */
export function refuseForeignWrites(what: string, stats: Stats): void {
  if ((stats.mode & 0o022) === 0) return;
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  throw unsafe(`${what} may be written by others (mode ${mode}); run chmod go-w on it.`);
}

function readSafely(file: string, rules: SettingsFileRules): Uint8Array | null {
  const descriptor = openWithoutFollowing(file);
  if (descriptor === null) return null;
  try {
    const stats = fstatSync(descriptor);
    const what = printable(file);
    if (!stats.isFile()) throw unsafe(`${what} is no regular file; settings are read from a plain file only.`);
    refuseForeignOwner(what, stats, [rules.uid, 0]);
    if (rules.privateWrites) refuseForeignWrites(what, stats);
    return readBounded(file, descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

function openWithoutFollowing(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') return null;
    if (isLink(file)) throw unsafe(`${printable(file)} is a symbolic link; put the file itself there.`);
    throw unsafe(`${printable(file)} cannot be opened (${code}).`, error);
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** One byte more than the told size is asked for, so that a file that has grown shows itself. */
function readBounded(file: string, descriptor: number, toldBytes: number): Uint8Array {
  let buffer = new Uint8Array(Math.min(toldBytes, LARGEST_SETTINGS_BYTES) + 1);
  let length = 0;
  while (length <= LARGEST_SETTINGS_BYTES) {
    if (length === buffer.length) buffer = grown(buffer);
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return buffer.slice(0, length);
    length += bytesRead;
  }
  throw new ColdsealError(
    'CONFIG_INVALID',
    `${printable(file)} is larger than ${LARGEST_SETTINGS_BYTES} bytes (1 MiB), the most a settings file may be.`,
    { facts: { limit_bytes: LARGEST_SETTINGS_BYTES } },
  );
}

function grown(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(LARGEST_SETTINGS_BYTES + 1);
  larger.set(buffer);
  return larger;
}

function unsafe(message: string, cause?: unknown): ColdsealError {
  return new ColdsealError('CONFIG_UNSAFE', message, cause === undefined ? {} : { cause });
}

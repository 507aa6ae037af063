/**
 * From a credential's name to its value: the variable `COLDSEAL_KEY_<NAME>`, else the source that the machine file names
 * (`coldseal.credentials.<name>`: a variable, a 0600 file in the machine folder, or a keychain entry), else the file
 * `credentials/<name>` there. A value lives in memory only and stands in no message.
 *
 * A credential file that others may read is refused, not read: a key that leaked is worse than a run that stops.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { secretVariables } from '../contract/secret-variables.js';
import type { CredentialSource, Settings } from '../contract/settings.js';
import type { Credential } from '../contract/transport.js';
import type { Environment } from './environment.js';
import { isInside } from './machine-folder.js';
import { readKeychain } from './read-keychain.js';

/** Shorter values would blank ordinary words out of a bundle. */
const LEAST_BLANKED_BYTES = 8;
const LARGEST_CREDENTIAL_BYTES = 16 * 1024;

export interface CredentialFacts {
  readonly settings: Pick<Settings, 'machineFile' | 'machineFolder' | 'own'>;
  readonly environment: Environment;
  readonly uid: number;
}

/** The variable of a credential: its name in upper case, every other character as `_`. */
export function credentialVariable(name: string): string {
  return `COLDSEAL_KEY_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** `CREDENTIAL_MISSING` naming the credential and where its value was due; `CONFIG_UNSAFE` for a file others may read. */
export async function resolveCredential(name: string, facts: CredentialFacts): Promise<Credential> {
  const outcome = await lookUp(name, facts);
  if (outcome.ok) return { name, value: outcome.value };
  throw new ColdsealError(
    'CREDENTIAL_MISSING',
    `The credential "${name}" has no usable value: ${outcome.reason}. ${wayToSet(name, facts)}.`,
    { facts: { credential: name } },
  );
}

/** A source that the owner named already is where the value is due; nobody is sent to name it again. */
const wayToSet = (name: string, { settings }: CredentialFacts): string =>
  settings.own.credentials.has(name)
    ? `Give it a value there, or in ${credentialVariable(name)}`
    : `Set ${credentialVariable(name)}, or name a source at coldseal.credentials.${name} in ${printable(settings.machineFile)}`;

/**
 * Every credential value of 8 or more bytes that the machine file names and that can be resolved here: none of them may
 * stand in a bundle. One that has no value here cannot be blanked and is passed over; `CONFIG_UNSAFE` is not.
 */
export async function knownCredentialValues(
  settings: Settings,
  environment: Environment,
  uid: number,
): Promise<readonly Credential[]> {
  const named = [...settings.providers.values()].flatMap(({ credential }) => (credential === null ? [] : [credential]));
  const names = new Set([...named, ...settings.own.credentials.keys()]);
  const known: Credential[] = [];
  for (const name of names) {
    const outcome = await lookUp(name, { settings, environment, uid });
    if (outcome.ok && Buffer.byteLength(outcome.value) >= LEAST_BLANKED_BYTES)
      known.push({ name, value: outcome.value });
  }
  for (const { name, spawn } of settings.providers.values()) {
    for (const [variable, value] of secretVariables(spawn)) {
      if (Buffer.byteLength(value) >= LEAST_BLANKED_BYTES) known.push({ name: `${name}:${variable}`, value });
    }
  }
  return known;
}

type Outcome = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

async function lookUp(name: string, facts: CredentialFacts): Promise<Outcome> {
  const variable = credentialVariable(name);
  const exported = facts.environment[variable];
  if (exported !== undefined && exported !== '') return judgeValue(exported, variable);
  const source = facts.settings.own.credentials.get(name);
  if (source !== undefined) return await fromSource(source, facts);
  const path = join(facts.settings.machineFolder, 'credentials', name);
  const outcome = fromFile(path, facts);
  return outcome.ok ? outcome : { ok: false, reason: `${variable} is not set and ${outcome.reason}` };
}

async function fromSource(source: CredentialSource, facts: CredentialFacts): Promise<Outcome> {
  switch (source.kind) {
    case 'environment': {
      const value = facts.environment[source.variable];
      if (value === undefined || value === '') return { ok: false, reason: `${source.variable} is not set` };
      return judgeValue(value, source.variable);
    }
    case 'file':
      return fromFile(source.path, facts);
    case 'keychain': {
      const answer = await readKeychain(source, facts.environment);
      return answer.ok ? judgeValue(answer.value, 'the keychain entry') : answer;
    }
    default:
      return source satisfies never;
  }
}

/** Synchronous for the same reason as the machine file is. */
function fromFile(path: string, { settings, uid }: CredentialFacts): Outcome {
  const shown = printable(path);
  if (!standsInFolder(path, settings.machineFolder)) return { ok: false, reason: `${shown} is not there` };
  const found = orNull(() => lstatSync(path));
  if (found === null) return { ok: false, reason: `${shown} is not there` };
  if (found.isSymbolicLink()) throw unsafe(`${shown} is a symbolic link; put the credential's file itself there.`);
  const descriptor = openOwn(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unsafe(`${shown} is no regular file.`);
    if (stats.uid !== uid) throw unsafe(`${shown} belongs to user ${stats.uid}, not to you (user ${uid}).`);
    if ((stats.mode & 0o077) !== 0) throw unsafe(`${shown} can be used by others; run chmod 600 on it.`);
    if (stats.size > LARGEST_CREDENTIAL_BYTES) {
      return { ok: false, reason: `${shown} has ${stats.size} bytes; the limit is ${LARGEST_CREDENTIAL_BYTES} bytes` };
    }
    return judgeValue(readFileSync(descriptor, 'utf8').trim(), shown);
  } finally {
    closeSync(descriptor);
  }
}

function openOwn(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unsafe(`${printable(path)} cannot be opened.`, error);
  }
}

/** False where the folder is not there; a folder that a link leads out of the machine folder is refused. */
function standsInFolder(path: string, machineFolder: string): boolean {
  const folder = orNull(() => realpathSync.native(dirname(path)));
  if (folder === null) return false;
  if (isInside(folder, realpathSync.native(machineFolder))) return true;
  throw unsafe(`${printable(path)} leads out of the machine folder.`);
}

/** `null` where nothing stands, or nothing that can be looked at. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/** A value travels in one header line, so it is printable ASCII. */
function judgeValue(value: string, where: string): Outcome {
  if (value === '') return { ok: false, reason: `${where} is empty` };
  if (/^[\x21-\x7e]+$/.test(value)) return { ok: true, value };
  return { ok: false, reason: `${where} holds blanks, line ends or characters that no header may carry` };
}

function unsafe(message: string, cause?: unknown): ColdsealError {
  return new ColdsealError('CONFIG_UNSAFE', message, cause === undefined ? {} : { cause });
}

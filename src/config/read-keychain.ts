/**
 * One value out of the system's keychain, through the system's own program at its absolute path: a name looked up in PATH
 * could be anybody's program. Where no such program is, that is said rather than guessed around.
 */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import type { Environment } from './environment.js';

const ANSWER_LIMIT_BYTES = 64 * 1024;
const TIME_LIMIT_MS = 30_000;

/** What the programs need to reach the session's keychain; nothing else is handed on. */
const PASSED_VARIABLES = [
  'HOME',
  'USER',
  'LOGNAME',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
];

export interface KeychainProgram {
  /** Absolute. */
  readonly file: string;
  readonly wordsFor: (service: string, account: string) => readonly string[];
}

const KEYCHAIN_PROGRAMS: readonly KeychainProgram[] = [
  {
    file: '/usr/bin/security',
    wordsFor: (service, account) => ['find-generic-password', '-s', service, '-a', account, '-w'],
  },
  {
    file: '/usr/bin/secret-tool',
    wordsFor: (service, account) => ['lookup', 'service', service, 'account', account],
  },
];

export type KeychainAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: string };

export interface KeychainEntry {
  readonly service: string;
  readonly account: string;
}

/** Asks the first program that is there. Never throws; `reason` holds no part of what the program said. */
export async function readKeychain(
  { service, account }: KeychainEntry,
  environment: Environment,
  programs: readonly KeychainProgram[] = KEYCHAIN_PROGRAMS,
): Promise<KeychainAnswer> {
  for (const { file, wordsFor } of programs) {
    if (!(await isExecutable(file))) continue;
    const value = await outputOf(file, wordsFor(service, account), environment);
    return value === null || value === ''
      ? { ok: false, reason: `${file} has no such entry, or it is locked` }
      : { ok: true, value };
  }
  return { ok: false, reason: `there is no keychain program here (${programs.map(({ file }) => file).join(', ')})` };
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** What the program wrote, without its line end; `null` when it failed, took too long or said too much. */
function outputOf(file: string, words: readonly string[], environment: Environment): Promise<string | null> {
  const passed = PASSED_VARIABLES.filter((name) => environment[name] !== undefined);
  const env = Object.fromEntries(passed.map((name) => [name, environment[name]]));
  return new Promise((settle) => {
    const options = { env, timeout: TIME_LIMIT_MS, maxBuffer: ANSWER_LIMIT_BYTES, encoding: 'utf8' } as const;
    const child = execFile(file, [...words], options, (error, output) => {
      settle(error === null ? output.replace(/\r?\n$/, '') : null);
    });
    child.stdin?.end();
  });
}

/**
 * The program of a spawned provider before and while it runs: what may be started, with which environment, and how all of
 * it is ended.
 *
 * It gets a process group of its own, so that whatever it started ends with it; a folder of ours that is empty, so that
 * neither a checkout nor anybody's leftovers are around it; and an environment that is made, never inherited.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { SpawnSettings } from '../contract/route.js';
import { callFailure, faultCode } from './call-failure.js';

export interface ProgramRules {
  readonly uid: number;
  /** Root of the checkout that the bundle is about: no program of it is started. */
  readonly workTree: string | null;
}

/** Others may neither write the program nor exchange it; the group of a shared folder may be root's helpers. */
const WRITABLE_BY_OTHERS = 0o022;
const FOLDER_OPEN_TO_ALL = 0o002;
const STICKY = 0o1000;

/**
 * `PROVIDER_UNREACHABLE` for a program that is not there or cannot be started, `CONFIG_UNSAFE` for one that somebody else
 * could have written.
 */
export const requireProgram = async ({ program }: SpawnSettings, { uid, workTree }: ProgramRules): Promise<void> => {
  const shown = printable(program);
  let real: string;
  try {
    real = await realpath(program);
    await access(real, constants.X_OK);
  } catch (error) {
    const fault = faultCode(error);
    throw callFailure('PROVIDER_UNREACHABLE', `The program ${shown} cannot be started: ${fault}.`, { fault }, error);
  }
  const [file, folder] = [await stat(real), await stat(dirname(real))];
  if (!file.isFile()) throw unsafe(`${shown} is no regular file.`);
  if (file.uid !== uid && file.uid !== 0) throw unsafe(`${shown} belongs to user ${file.uid}, not to you or root.`);
  if ((file.mode & WRITABLE_BY_OTHERS) !== 0) throw unsafe(`${shown} can be written by others; run chmod go-w on it.`);
  if ((folder.mode & FOLDER_OPEN_TO_ALL) !== 0 && (folder.mode & STICKY) === 0) {
    throw unsafe(`${shown} stands in a folder that everybody can write to.`);
  }
  const root = workTree === null ? null : await realpath(workTree).catch(() => workTree);
  if (root !== null && real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw unsafe(
      `${shown} stands in the checkout that the bundle is about; a checkout must not choose what is started.`,
    );
  }
};

const unsafe = (message: string): ColdsealError =>
  new ColdsealError('CONFIG_UNSAFE', `The spawned provider cannot be used: ${message}`);

export interface ProgramStart {
  readonly spawn: SpawnSettings;
  readonly model: string;
  /** A private folder of ours; the working directory, and the only place for temporary files. */
  readonly folder: string;
  /** The file that `{{output}}` stands for. */
  readonly outputFile: string;
  readonly homeFolder: string;
  readonly accountName: string;
}

export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the program itself ended, or could not be started. */
  readonly ended: Promise<ProgramEnd>;
  /** Resolves when its streams are closed too; never for one that was not started. */
  readonly closed: Promise<void>;
  /** Sends the signal to all of its process group. */
  kill(signal: NodeJS.Signals): void;
}

export type ProgramEnd =
  | { readonly kind: 'exit'; readonly status: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly fault: string };

export const startProgram = (start: ProgramStart): RunningProgram => {
  const { spawn: settings, folder } = start;
  const child = spawn(settings.program, settings.args.map(filledIn(start)), {
    cwd: folder,
    env: programEnvironment(start),
    detached: true,
    shell: false,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ kind: 'not-started', fault: faultCode(error) });
    });
    child.once('exit', (status, signal) =>
      resolve(signal === null ? { kind: 'exit', status: status ?? 0 } : { kind: 'signal', signal }),
    );
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  return {
    child,
    ended,
    closed,
    kill: (signal) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The group is gone, which is what was asked for.
      }
    },
  };
};

const filledIn =
  ({ model, outputFile }: ProgramStart) =>
  (argument: string): string =>
    argument.replace(/\{\{(model|output)\}\}/g, (_whole, name: string) => (name === 'model' ? model : outputFile));

/** The baseline is the same for every program; the owner's variables come on top of it. */
const programEnvironment = ({ spawn: { environment }, ...start }: ProgramStart): Record<string, string> => ({
  HOME: start.homeFolder,
  USER: start.accountName,
  LOGNAME: start.accountName,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  ...environment,
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TMPDIR: start.folder,
});

/** Runs the built program as a child, the way a person does, and collects what it wrote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const projectFolder = join(import.meta.dirname, '..', '..');
export const programFile = join(projectFolder, 'dist', 'cli.js');

export interface ProgramRun {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

export interface ProgramWords {
  readonly folder?: string;
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** `onStart` writes and ends the input itself. */
  readonly holdsInput?: boolean;
  /** Words before the program's own, e.g. a shell that sets a limit. */
  readonly prefix?: readonly string[];
  /** Another build than the one of this project, e.g. a damaged one. */
  readonly program?: string;
  /** Called with the running child, e.g. to end it. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** The environment holds nothing of the caller's but PATH, so that a test says the same on every machine. */
export const runColdseal = (words: readonly string[], options: ProgramWords): Promise<ProgramRun> => {
  if (!existsSync(options.program ?? programFile)) throw new Error('dist/cli.js is missing: run `npm run build` first');
  return new Promise((resolve, reject) => {
    const [first, ...rest] = [...(options.prefix ?? []), process.execPath, options.program ?? programFile, ...words];
    const child = spawn(first ?? process.execPath, rest, {
      cwd: options.folder ?? projectFolder,
      env: { PATH: process.env['PATH'] ?? '', HOME: options.home, ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (exit, signal) => {
      const stdoutBytes = Buffer.concat(stdout);
      resolve({
        exit,
        signal,
        stdoutBytes,
        stdout: stdoutBytes.toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
      });
    });
    if (options.holdsInput !== true) child.stdin.end(options.input ?? '');
    options.onStart?.(child);
  });
};

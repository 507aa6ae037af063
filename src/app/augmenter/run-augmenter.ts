/**
 * One run of the external scanner, spoken to as gitleaks is: `stdin` as its verb, the text on its standard input, the
 * report as JSON on its standard output. It stands in an empty private folder with a made environment and a configuration
 * of ours, so no ignore file, baseline or variable of anybody's reaches it, and in a process group of its own that ends
 * whole. What it says on standard error may quote the text and is never read.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';

export interface AugmenterLimits {
  readonly timeoutMs: number;
  readonly mostOutputBytes: number;
}

const AUGMENTER_LIMITS: AugmenterLimits = { timeoutMs: 30_000, mostOutputBytes: 64 * 1024 * 1024 };

/** All of the program's own rules and nothing else: no allow list, no path that is passed over. */
const CONFIG = 'title = "coldseal"\n[extend]\nuseDefault = true\n';

export const augmenterArguments = (configFile: string): readonly string[] => [
  'stdin',
  '--report-format',
  'json',
  '--report-path',
  '-',
  '--no-banner',
  '--redact=0',
  '--ignore-gitleaks-allow',
  '--exit-code',
  '0',
  '--log-level',
  'error',
  '--config',
  configFile,
];

export const degraded = (why: string): ColdsealError =>
  new ColdsealError(
    'SCANNER_DEGRADED',
    `The augmenter ${why}. Correct the program, or remove coldseal.augmenter from the machine file.`,
  );

/** Standard output as it came. `SCANNER_DEGRADED`; the signal's reason once it is given. */
export const runAugmenter = async (
  program: string,
  text: Uint8Array,
  signal: AbortSignal,
  limits: AugmenterLimits = AUGMENTER_LIMITS,
): Promise<Buffer> => {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'coldseal-augmenter-'));
  try {
    const work = join(folder, 'work');
    await mkdir(work, { mode: 0o700 });
    const configFile = join(folder, 'config.toml');
    await writeFile(configFile, CONFIG, { mode: 0o600 });
    const child = spawn(program, augmenterArguments(configFile), {
      cwd: work,
      env: { PATH: '/usr/bin:/bin', HOME: work, TMPDIR: work, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return await outputOf(child, text, signal, limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const outputOf = (
  child: ChildProcess,
  text: Uint8Array,
  signal: AbortSignal,
  limits: AugmenterLimits,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let failure: unknown = null;
    const stop = (why: unknown): void => {
      failure ??= why;
      killGroup(child);
    };
    const onAbort = (): void => stop(signal.reason);
    const timer = setTimeout(() => stop(degraded(`took longer than ${limits.timeoutMs / 1000} s`)), limits.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const settle = (status: number | null, how: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      // What it started and left behind ends with it.
      killGroup(child);
      if (failure !== null) reject(failure);
      else if (status !== 0) reject(degraded(how));
      else resolve(Buffer.concat(chunks));
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.mostOutputBytes) chunks.push(chunk);
      else stop(degraded(`wrote more than ${limits.mostOutputBytes} bytes`));
    });
    child.on('error', (fault: NodeJS.ErrnoException) => settle(null, `cannot be started (${fault.code ?? 'unknown'})`));
    child.on('exit', (status, ended) => {
      // A grandchild that holds the pipe must not hold the run.
      if (status !== 0) settle(status, ended === null ? `ended with ${status}` : `ended by ${ended}`);
    });
    child.on('close', (status) => settle(status, `ended with ${status ?? 'a signal'}`));
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });

const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
};

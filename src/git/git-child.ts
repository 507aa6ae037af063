/**
 * One running git: chunks out, text in, an end that is always told. Every wait has a deadline and ends at once when a
 * signal aborts; the first reason wins, so the caller sees why git was stopped and not the broken pipe it caused.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ColdsealError } from '../contract/error.js';

export interface GitCommand {
  /** The verb and its arguments; shown in messages by the verb alone. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** A folder of ours: git is never run inside a checkout. */
  readonly folder: string;
  readonly deadlineMs: number;
}

export interface GitEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

const STDERR_BYTES = 4096;

export class GitChild {
  readonly verb: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #deadlineMs: number;
  readonly #undo: (() => void)[] = [];
  #failure: { readonly reason: unknown } | null = null;
  #end: GitEnd | null = null;
  #outputEnded = false;
  #stderr = '';
  #wake: (() => void) | null = null;

  constructor(command: GitCommand, verb: string, signals: readonly AbortSignal[]) {
    this.verb = verb;
    this.#deadlineMs = command.deadlineMs;
    this.#child = spawn('git', command.args, {
      cwd: command.folder,
      env: command.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#listen();
    for (const signal of signals) this.#undo.push(this.abortOn(signal));
  }

  #listen(): void {
    const wake = () => this.#wake?.();
    this.#child.on('error', (cause) => {
      const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
      const what = missing ? 'git was not found on PATH; install it' : 'git could not be started';
      this.#end ??= { status: null, signal: null };
      this.fail(new ColdsealError('GIT_FAILED', `${what}.`, { cause }));
    });
    this.#child.on('close', (status, signal) => {
      this.#end ??= { status, signal };
      this.#outputEnded = true;
      for (const undo of this.#undo.splice(0)) undo();
      wake();
    });
    this.#child.stdin.on('error', () => {}); // the end of the child says what happened
    this.#child.stdout.on('error', () => {});
    this.#child.stdout.on('readable', wake);
    this.#child.stdout.on('end', () => {
      this.#outputEnded = true;
      wake();
    });
    this.#child.stderr.on('error', () => {});
    this.#child.stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < STDERR_BYTES) this.#stderr += chunk.toString('latin1').slice(0, STDERR_BYTES);
    });
  }

  /** What git said on stderr, at most 8 KiB. */
  get stderr(): string {
    return this.#stderr;
  }

  /** True until the child was stopped or ended. */
  get usable(): boolean {
    return this.#failure === null && this.#end === null;
  }

  /** Stops the child when the signal aborts. Returns what undoes it. */
  abortOn(signal: AbortSignal): () => void {
    const stop = () => this.fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
  }

  /** Ends the child at once; whoever waits on it is told this reason, unless there was one before. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#child.kill('SIGKILL');
    this.#wake?.();
  }

  write(text: string): void {
    if (this.usable) this.#child.stdin.write(text);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** The next bytes of output, or `null` at its end. The chunk is the caller's. */
  async nextChunk(): Promise<Buffer | null> {
    for (;;) {
      this.#throwFailure();
      const chunk = this.#child.stdout.read() as Buffer | null;
      if (chunk !== null) return chunk;
      if (this.#outputEnded) return null;
      await this.#changed();
    }
  }

  /** Waits for the end of the child. */
  async end(): Promise<GitEnd> {
    for (;;) {
      this.#throwFailure();
      if (this.#end !== null) return this.#end;
      if (this.#child.stdout.read() !== null) continue;
      await this.#changed();
    }
  }

  /** Ends the child without a reason, and returns when it is gone. */
  async close(): Promise<void> {
    this.#failure ??= { reason: new ColdsealError('GIT_FAILED', `git ${this.verb} was closed.`) };
    const child = this.#child;
    if (this.#end === null) {
      await new Promise<void>((resolve) => {
        child.once('close', () => resolve());
        for (const stream of child.stdio) stream?.destroy(); // unread output would hold the end back
        child.kill('SIGKILL');
      });
    }
    this.#wake?.();
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.reason;
  }

  async #changed(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(() => this.fail(this.#tooSlow()), this.#deadlineMs);
      });
    } finally {
      clearTimeout(timer);
      this.#wake = null;
    }
  }

  #tooSlow(): ColdsealError {
    const limit = `${this.#deadlineMs / 1000} s`;
    return new ColdsealError(
      'GIT_FAILED',
      `git ${this.verb} gave nothing for ${limit}, which is the limit; it was stopped. Look at the disk and try again.`,
      { facts: { limit_ms: this.#deadlineMs } },
    );
  }
}

/**
 * The transport to a program of the owner's: the bundle on its standard input, the answer from its output or a file.
 *
 * One try and no more: whether a program that failed had already asked its provider cannot be known, so another start
 * could be billed twice. The same promises as over HTTP otherwise: only a sealed bundle to what is remote, consent asked
 * right before, bounded time and size, everything it says scrubbed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import type { SpawnSettings } from '../contract/route.js';
import { secretVariables } from '../contract/secret-variables.js';
import type { Answer, Brief, SendRequest, Transport } from '../contract/transport.js';
import { ANSWER_BYTES, type WholeAnswer } from './answer-draft.js';
import { answerFrom, type CallReport, unsent } from './answer-gate.js';
import { callFailure } from './call-failure.js';
import { quoted } from './quote.js';
import { type Scrub, scrubber } from './scrub.js';
import { answerOf, readOutputFile, tooLarge } from './spawn-answer.js';
import {
  type ProgramEnd,
  type ProgramRules,
  type RunningProgram,
  requireProgram,
  startProgram,
} from './spawn-program.js';
import { feedInput, keepOutput, keepTail } from './spawn-streams.js';
import { type Clock, type Sleep, watchLimits } from './time-limits.js';

export interface SpawnTransportOptions extends ProgramRules {
  readonly homeFolder: string;
  readonly accountName: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Constants for everybody but tests. */
  readonly graceMs?: number;
  readonly answerBytes?: number;
}

/** Between asking a process group to end and ending it. */
const GRACE_MS = 2_000;
const COMPLAINT_BYTES = 8 * 1024;
/** Shorter words are no echo of a bundle. */
const LEAST_ECHO = 8;

/** Ends as the HTTP transport does: every failure of the program is an answer that is not ok. */
export const createSpawnTransport = (options: SpawnTransportOptions): Transport => ({
  send: async (request) => {
    const startMs = options.clock();
    const spawn = checkRequest(request);
    const scrub = scrubber(secretVariables(spawn).map(([, value]) => value));
    const folder = await mkdtemp(join(tmpdir(), 'coldseal-spawn-'));
    const seen: Seen = { started: false, firstMs: null, stopped: null };
    const ended = (report: CallReport): Answer =>
      answerFrom(report, scrub, {
        proxy: null,
        attempts: 1,
        neverConnected: !seen.started,
        durationMs: options.clock() - startMs,
      });
    try {
      await request.beforeConnect(1);
      request.signal.throwIfAborted();
      await requireProgram(spawn, options);
      await askBeforeBody(request, seen);
      const answer = await runProgram({ request, spawn, options, folder, scrub, seen, startMs });
      return ended({ result: { ok: true, answer }, state: answer, firstTokenMs: seen.firstMs });
    } catch (error) {
      request.signal.throwIfAborted();
      if (seen.stopped !== null) throw seen.stopped.reason;
      if (error instanceof ColdsealError) return ended(unsent(error));
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** What is noted as it happens. */
interface Seen {
  started: boolean;
  firstMs: number | null;
  /** Why the caller stopped the call before the program was started. */
  stopped: { readonly reason: unknown } | null;
}

interface ProgramCall {
  readonly request: SendRequest;
  readonly spawn: SpawnSettings;
  readonly options: SpawnTransportOptions;
  readonly folder: string;
  readonly scrub: Scrub;
  readonly seen: Seen;
  readonly startMs: number;
}

/** A program may send what it has read of its input, so the caller is asked before it is started. */
const askBeforeBody = async (request: SendRequest, seen: Seen): Promise<void> => {
  try {
    await request.beforeBody?.();
  } catch (reason) {
    seen.stopped = { reason };
    throw reason;
  }
};

const checkRequest = ({ provider, brief, settings }: SendRequest): SpawnSettings => {
  if (provider.spawn === null) throw new ColdsealError('INTERNAL', 'This provider is no program; nothing was sent.');
  if (provider.endpoint.remote && brief.kind !== 'sealed') {
    throw new ColdsealError('INTERNAL', 'Only a sealed bundle may be sent to a remote provider; nothing was sent.');
  }
  const names = Object.keys(settings);
  if (names.length > 0) {
    throw new ColdsealError(
      'SETTING_REFUSED',
      `${provider.name} is a program, which takes no model settings (${names.join(', ')}). Put them among its arguments in the machine file.`,
      { facts: { settings: names.length } },
    );
  }
  return provider.spawn;
};

const runProgram = async (call: ProgramCall): Promise<WholeAnswer> => {
  const { request, spawn, options, folder, seen, startMs } = call;
  const { homeFolder, accountName, clock, sleep } = options;
  const outputFile = join(folder, 'answer');
  const mostBytes = options.answerBytes ?? ANSWER_BYTES;
  const totalMs = request.provider.totalTimeoutMs;
  const watch = watchLimits(clock, sleep);
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, watch.signal, over.signal]);
  const program = startProgram({ spawn, model: request.model, folder, outputFile, homeFolder, accountName });
  seen.started = program.child.pid !== undefined;
  const kill = (): void => program.kill('SIGKILL');
  process.once('exit', kill);
  try {
    watch.start('total', totalMs - (clock() - startMs));
    const complaint = keepTail(program.child.stderr, COMPLAINT_BYTES);
    const output = keepOutput(program.child.stdout, spawn.output === 'stdout' ? mostBytes : Number.POSITIVE_INFINITY, {
      onFirst: () => {
        seen.firstMs = clock() - startMs;
      },
      onOver: () => over.abort(tooLarge(mostBytes)),
    });
    if (seen.started) request.onSent?.('part');
    const fed = feedInput(program.child.stdin, partsOf(request.brief)).then((isWhole) => {
      if (isWhole) request.onSent?.('whole');
      return isWhole;
    });
    const end = await endOf(program, signal, options);
    if (watch.expired() !== null) throw outOfTime(totalMs);
    signal.throwIfAborted();
    requireGoodEnd(end, complaint.text(), call);
    if (!(await fed)) throw leftEarly(request.brief);
    return answerOf(
      spawn.output === 'stdout' ? output.bytes() : await readOutputFile(outputFile, mostBytes),
      spawn.emptyOutput,
    );
  } finally {
    watch.close();
    kill();
    process.removeListener('exit', kill);
  }
};

/** The end of the program; of all of its group at once when the signal aborts, and of whatever it left behind. */
const endOf = async (
  program: RunningProgram,
  signal: AbortSignal,
  { sleep, graceMs = GRACE_MS }: SpawnTransportOptions,
): Promise<ProgramEnd> => {
  const settled = new AbortController();
  const stop = (): void => {
    program.child.stdin.destroy();
    program.kill('SIGTERM');
    sleep(graceMs, settled.signal).then(
      () => program.kill('SIGKILL'),
      () => undefined,
    );
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const end = await program.ended;
    program.kill('SIGKILL');
    if (end.kind !== 'not-started') {
      // Who left the group keeps the pipes open; what it still writes is no part of the answer.
      await Promise.race([program.closed, sleep(graceMs, settled.signal)]);
      program.child.stdout.destroy();
      program.child.stderr.destroy();
    }
    return end;
  } finally {
    signal.removeEventListener('abort', stop);
    settled.abort();
  }
};

const requireGoodEnd = (end: ProgramEnd, complaint: string, { request, scrub, seen }: ProgramCall): void => {
  switch (end.kind) {
    case 'not-started':
      seen.started = false;
      throw callFailure('PROVIDER_UNREACHABLE', `The program could not be started: ${end.fault}.`, {
        fault: end.fault,
      });
    case 'signal':
      throw callFailure('PROVIDER_CUT_OFF', `The program was ended by ${end.signal}.`, { signal: end.signal });
    case 'exit': {
      if (end.status === 0) return;
      const said = lastLine(complaint, request.brief);
      const quote = said === '' ? '' : ` It said: "${quoted(said, scrub)}"`;
      throw callFailure('PROVIDER_STATUS', `The program ended with exit code ${end.status}.${quote}`, {
        exit_code: end.status,
      });
    }
    default:
      end satisfies never;
  }
};

/** The program's last words, unless they are the bundle's: a tool that echoes its input must not put it in a message. */
const lastLine = (complaint: string, brief: Brief): string => {
  const line = complaint.trim().split('\n').at(-1)?.trim() ?? '';
  const isEcho = line.length >= LEAST_ECHO && partsOf(brief).some((part) => asBuffer(part).includes(line));
  return isEcho ? '' : line;
};

/** The bytes in the order they are written; views, nothing is copied. */
const partsOf = (brief: Brief): readonly Uint8Array[] => {
  const { system, message } = brief.kind === 'sealed' ? brief.bundle : brief;
  return system.length === 0 ? [message] : [system, Buffer.from('\n\n'), message];
};

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const leftEarly = (brief: Brief): Error => {
  const bytes = partsOf(brief).reduce((total, part) => total + part.length, 0);
  return callFailure('PROVIDER_READ_LESS', `The program closed its input before the end of ${bytes} bytes.`, {
    sent_bytes: bytes,
  });
};

const outOfTime = (ms: number): Error =>
  callFailure('PROVIDER_TIMEOUT', `The limit "total" of ${ms} ms ran out.`, { limit: 'total', limit_ms: ms });

/**
 * The one logger: JSON lines on stderr, never stdout, which belongs to the answer. Bodies are not logged because nothing
 * hands one over: requests and errors pass through serializers that pick closed members, and whatever carries a name that
 * could hold text or a credential is censored wherever it stands one or two levels deep.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { ColdsealError } from '../contract/error.js';

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where the lines go; stderr, unbuffered, when left out. */
  readonly destination?: DestinationStream;
}

const CENSORED = [
  'authorization',
  'cookie',
  'credential',
  'password',
  'secret',
  'token',
  'key',
  'body',
  'text',
  'bytes_sent',
  'message_text',
  'system',
  'answer',
  'brief',
  'question',
  'value',
  'values',
  'headers',
] as const;

export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: CENSORED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[censored]' },
      serializers: { err: serializeError, error: serializeError, req: serializeRequest, res: serializeResponse },
    },
    options.destination ?? destination({ dest: 2, sync: true }),
  );
}

/** Our own messages hold no item text by contract; anybody else's message may quote what it choked on. */
function serializeError(error: unknown): object {
  if (error instanceof ColdsealError) return { type: error.name, code: error.code, message: error.message };
  if (!(error instanceof Error)) return { type: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    stack: frames.slice(0, 8).map((line) => line.trim()),
  };
}

/** The path without its query: a query is a body in disguise. */
function serializeRequest(request: unknown): object {
  const { id, method, url } = (request ?? {}) as Record<string, unknown>;
  return { id, method, path: typeof url === 'string' ? url.split('?', 1)[0] : undefined };
}

function serializeResponse(response: unknown): object {
  const { statusCode } = (response ?? {}) as Record<string, unknown>;
  return { status: statusCode };
}

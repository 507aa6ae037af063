/**
 * From what Redis or the network says to a closed code. Messages name the server without account and password, and never
 * quote what came back: a reply may repeat a command, and a command holds a job.
 */
import type { RefusalCode } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';

export type QueueFault = Extract<RefusalCode, `QUEUE_${string}`>;

const BY_REPLY: readonly (readonly [RegExp, QueueFault])[] = [
  [/^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password|ERR Client sent AUTH)/, 'QUEUE_AUTH'],
  [/(?:^|\s)OOM command not allowed|maxmemory/, 'QUEUE_FULL'],
  [/(?:^|\s)(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|UNKILLABLE|UNBLOCKED)/, 'QUEUE_SWITCHING'],
  [/(?:^|\s)(?:MISCONF|BUSY Redis)/, 'QUEUE_SLOW'],
  [/Command timed out|ETIMEDOUT/, 'QUEUE_SLOW'],
  [
    /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection is closed|isn't writeable|max retries|connect |closed|ended|certificate|SSL|TLS/i,
    'QUEUE_UNREACHABLE',
  ],
];

/** `null` for what is no fault of the server or the way to it. */
export const faultOf = (error: unknown): QueueFault | null => {
  if (error instanceof ColdsealError) return isQueueFault(error.code) ? error.code : null;
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const inner = error instanceof AggregateError ? error.errors.map((one) => String(one)).join(' ') : '';
  const said = `${error.message} ${code} ${inner}`;
  return BY_REPLY.find(([pattern]) => pattern.test(said))?.[1] ?? null;
};

const isQueueFault = (code: string): code is QueueFault => code.startsWith('QUEUE_');

const SENTENCES: Readonly<Record<QueueFault, string>> = {
  QUEUE_UNREACHABLE: 'cannot be reached',
  QUEUE_AUTH: 'refuses the password, the account or one of its commands',
  QUEUE_FULL: 'has no memory left',
  QUEUE_SLOW: 'did not answer in time, or cannot write to its disk',
  QUEUE_SWITCHING: 'takes no writes just now: it is a replica, loading or failing over',
  QUEUE_UNSAFE: 'could forget that a job was sent',
};

const WAYS_OUT: Readonly<Record<QueueFault, string>> = {
  QUEUE_UNREACHABLE: 'check the address in coldseal.queue.url, the network and the server',
  QUEUE_AUTH: 'set the credential that coldseal.queue.password names',
  QUEUE_FULL: 'raise its maxmemory, or let workers catch up',
  QUEUE_SLOW: 'look at its load and the network',
  QUEUE_SWITCHING: 'wait for the new primary',
  QUEUE_UNSAFE: 'set appendonly yes, maxmemory-policy noeviction, and appendfsync always before Redis 7.2',
};

/** `shown` is the server's URL as it may be shown. No cause: ioredis hangs the command and its words on its errors. */
export const queueRefusal = (fault: QueueFault, shown: string): ColdsealError =>
  new ColdsealError(fault, `the queue at ${shown} ${SENTENCES[fault]}; ${WAYS_OUT[fault]}`, {
    facts: { queue: shown },
  });

/** The once-state of jobs in Redis, behind typed calls. What a script answers is checked: Redis is not ours alone. */
import { z } from 'zod';
import { CODES, type Code } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import { JOB_ID, type JobEnd, LANE } from '../contract/job.js';
import type { Cancelled, Claim, QueuedJob } from '../contract/job-queue.js';
import { ADD, AGAIN, CANCEL, CLAIM, END, MARK_RETRIED, START_SENDING, TAKE_BACK, TURNED_AWAY } from './once-scripts.js';
import type { RedisLink } from './redis-link.js';

/** A job with the lease it was handed out under. */
export interface Held {
  readonly id: string;
  readonly lane: string;
  readonly token: string;
}

export interface OnceRow {
  readonly state: 'added' | 'claimed' | 'sending' | 'ended';
  readonly lane: string;
  readonly claims: number;
  readonly addedMs: number;
  readonly machine: string | null;
  readonly end: JobEnd | null;
  readonly retriedAs: string | null;
}

/** Braces: all keys of the fleet are in one slot of a cluster, as scripts need it. */
export const PREFIX = '{coldseal}';

const onceKey = (id: string): string => `${PREFIX}:once:${id}`;
const resultKey = (id: string): string => `${PREFIX}:result:${id}`;
const UNKNOWN_KEY = `${PREFIX}:unknown`;
/** BullMQ's own key of a lease. */
const lockKey = ({ lane, id }: Held): string => `${PREFIX}:${lane}:${id}:lock`;

/** Names and digests end up on a terminal: visible ASCII and nothing that moves its cursor. */
const word = z.string().regex(/^[!-~]{1,256}$/);
const jobId = z.string().regex(JOB_ID);
const wholeNumber = z.coerce.number().int().min(0);
const rowShape = z.object({
  state: z.enum(['added', 'claimed', 'sending', 'ended']),
  lane: z.string().regex(LANE),
  claims: wholeNumber,
  added: wholeNumber,
  machine: word.optional().catch(undefined),
  end: z.string().optional(),
  retried: jobId.optional().catch(undefined),
});

export class OnceStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async add(jobs: readonly QueuedJob[], nowMs: number): Promise<void> {
    await this.#link.ask(async (redis) => {
      const pipeline = redis.pipeline();
      for (const { id, lane, nonce, keepUntilMs } of jobs) {
        pipeline.eval(ADD, 1, onceKey(id), lane, nonce, nowMs, keepUntilMs);
      }
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    });
  }

  /** What the call of that time added or may still add never runs. Answers, in order, whether that is so of each. */
  async takeBack(jobs: readonly QueuedJob[], addedMs: number, end: JobEnd): Promise<readonly boolean[]> {
    return this.#link.ask(async (redis) => {
      const pipeline = redis.pipeline();
      for (const { id, lane, keepUntilMs } of jobs) {
        pipeline.eval(TAKE_BACK, 1, onceKey(id), lane, addedMs, JSON.stringify(end), keepUntilMs);
      }
      return ((await pipeline.exec()) ?? []).map(([error, answer]) => {
        if (error) throw error;
        return answer === 'taken';
      });
    });
  }

  async claim(held: Held, nonce: string, machine: string): Promise<Claim> {
    const answer = await this.#run(CLAIM, [onceKey(held.id), lockKey(held)], [held.token, nonce, machine]);
    const [kind = '', first = '', second = ''] = Array.isArray(answer) ? answer.map((one) => String(one ?? '')) : [];
    switch (kind) {
      case 'yours':
        return { kind, claims: Number(first) };
      case 'begun':
        return { kind, machine: first, record: second };
      case 'ended':
      case 'replayed':
      case 'lost':
        return { kind };
      default:
        throw unexpected('claim');
    }
  }

  async startSending(held: Held, record: string): Promise<void> {
    const answer = await this.#run(START_SENDING, [onceKey(held.id), lockKey(held)], [held.token, record]);
    if (answer === 'stop') throw new ColdsealError('CANCELLED', 'the job was cancelled before anything of it left');
    if (answer !== 'yours') {
      throw new ColdsealError(
        'JOB_LOST',
        'the lease on the job ran out before anything of it left; another worker takes it',
      );
    }
  }

  async turnedAway({ id, token }: Held): Promise<void> {
    await this.#run(TURNED_AWAY, [onceKey(id)], [token]);
  }

  /** True when the job is anybody's again. */
  async again({ id, token }: Held): Promise<boolean> {
    return (await this.#run(AGAIN, [onceKey(id)], [token])) === 1;
  }

  /** True when this became the job's end. */
  async end({ id, token }: Held, end: JobEnd, result: string | null): Promise<boolean> {
    const isUnknown = end.outcome === 'unknown' ? '1' : '0';
    const keys = [onceKey(id), resultKey(id), UNKNOWN_KEY];
    return (await this.#run(END, keys, [token, JSON.stringify(end), result ?? '', id, isUnknown])) === 1;
  }

  /** The queue was told of the end: whoever hands the job out again replays it. */
  async finished(id: string): Promise<void> {
    await this.#link.ask((redis) => redis.hset(onceKey(id), 'finished', '1'));
  }

  async cancel(id: string, end: JobEnd): Promise<Cancelled> {
    const answer = await this.#run(CANCEL, [onceKey(id)], [JSON.stringify(end)]);
    switch (answer) {
      case 'cancelled':
      case 'stopping':
      case 'sending':
      case 'ended':
      case 'missing':
        return answer;
      default:
        throw unexpected('cancel');
    }
  }

  async markRetried(id: string, newId: string, gone: string | null): Promise<boolean> {
    return (await this.#run(MARK_RETRIED, [onceKey(id), UNKNOWN_KEY], [id, newId, gone ?? ''])) === 1;
  }

  async read(ids: readonly string[]): Promise<readonly (OnceRow | null)[]> {
    if (ids.length === 0) return [];
    return this.#link.ask(async (redis) => {
      const pipeline = redis.pipeline();
      for (const id of ids) pipeline.hgetall(onceKey(id));
      const rows = (await pipeline.exec()) ?? [];
      return rows.map(([error, row]) => {
        if (error) throw error;
        return readRow(row);
      });
    });
  }

  async result(id: string): Promise<string | null> {
    return this.#link.ask((redis) => redis.get(resultKey(id)));
  }

  async unknown(): Promise<number> {
    return this.#link.ask((redis) => redis.scard(UNKNOWN_KEY));
  }

  #run(script: string, keys: readonly string[], words: readonly string[]): Promise<unknown> {
    return this.#link.ask((redis) => redis.eval(script, keys.length, ...keys, ...words));
  }
}

const readRow = (row: unknown): OnceRow | null => {
  const read = rowShape.safeParse(row);
  if (!read.success) return null;
  const { state, lane, claims, added, machine = null, end, retried = null } = read.data;
  return { state, lane, claims, addedMs: added, machine, end: readEnd(end), retriedAs: retried };
};

/** Written by our own workers; one that does not parse is as good as none. */
const readEnd = (text: string | undefined): JobEnd | null => {
  if (text === undefined) return null;
  try {
    return endShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

const codes = Object.keys(CODES) as [Code, ...Code[]];
const endShape = z.strictObject({
  outcome: z.enum(['sent', 'planned', 'scanned', 'refused', 'provider_failed', 'unknown', 'cancelled']),
  code: z.enum(codes).nullable(),
  record: word.nullable(),
  machine: word.nullable(),
  bundle: word.nullable(),
  approval: word.nullable(),
  items: wholeNumber,
  bytes: wholeNumber,
  blanked: wholeNumber,
  findings: wholeNumber,
});

const unexpected = (what: string): ColdsealError =>
  new ColdsealError('INTERNAL', `the queue’s script for ${what} gave an answer that is none of its own`);

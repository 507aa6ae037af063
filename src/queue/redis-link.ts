/**
 * Connections to one Redis. Each reconnects by itself for ever, at growing intervals; what is wrong is told once when it
 * changes and once when it is over, never at each try.
 *
 * Two ways to wait: `prompt` connections fail a command at once while there is no connection, so that a caller is told
 * and nothing is added behind its back later; `patient` ones keep commands until there is one, as BullMQ's workers ask.
 */
import { Redis } from 'ioredis';
import { ColdsealError } from '../contract/error.js';
import { shownQueueUrl } from '../contract/queue-url.js';
import { faultOf, type QueueFault, queueRefusal } from './judge-fault.js';

export interface RedisPlace {
  /** `redis://` or `rediss://`; an account and password in it are used unless `password` is given. */
  readonly url: string;
  readonly password: string | null;
  /** One line to the person. */
  readonly say: (line: string) => void;
  /** How long a prompt call waits for the server before it is refused. */
  readonly patienceMs: number;
}

export interface RedisLink {
  readonly prompt: Redis;
  readonly shown: string;
  /** A connection for workers and event readers; the caller closes it. */
  openPatient(): Redis;
  /** Runs one prompt call. Rejects with a `QUEUE_*` refusal, or with what the call itself threw. */
  ask<T>(call: (redis: Redis) => Promise<T>): Promise<T>;
  /** Notes what a library reported; answers it when it is a fault of the server or the way to it. */
  note(error: unknown): QueueFault | null;
  /** Says that something was written: what was wrong is over. */
  wrote(): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly enableOfflineQueue?: boolean;
  readonly maxRetriesPerRequest: number | null;
  readonly commandTimeout?: number;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 15_000;

/** Doubling from 0.1 s to 15 s, a quarter of it by chance: a fleet must not come back in one moment. */
export const backoffMs = (tries: number, random: () => number = Math.random): number => {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
  return Math.round(full * (0.75 + random() / 4));
};

export const openRedisLink = (place: RedisPlace): RedisLink => {
  const shown = shownQueueUrl(place.url);
  let told: QueueFault | null = null;
  const note = (error: unknown): QueueFault | null => {
    const fault = faultOf(error);
    if (fault !== null && fault !== told) {
      told = fault;
      place.say(`coldseal: ${fault}: ${queueRefusal(fault, shown).message}; trying again`);
    }
    return fault;
  };
  const wrote = (): void => {
    if (told !== null) place.say(`coldseal: the queue at ${shown} answers again`);
    told = null;
  };
  // A full server and a replica take connections all the time.
  const onReady = (redis: Redis): void => {
    if (told === 'QUEUE_SWITCHING') {
      redis.info('replication').then((info) => {
        if (/^role:master/m.test(info)) wrote();
      }, note);
    } else if (told !== 'QUEUE_FULL') wrote();
  };
  const open = (more: Waiting): Redis => {
    // A primary that became a replica: the address may lead to another server now. Who waits has the command sent again there.
    const reconnectOnError = (error: Error) =>
      /^READONLY/.test(error.message) && (more.maxRetriesPerRequest === null ? 2 : 1);
    const redis = new Redis(place.url, { ...optionsOf(place), ...more, reconnectOnError });
    redis.on('error', note);
    redis.on('ready', () => onReady(redis));
    return redis;
  };
  const prompt = open({ enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: place.patienceMs });

  const ask = async <T>(call: (redis: Redis) => Promise<T>): Promise<T> => {
    const failure = await untilReady(prompt, place.patienceMs);
    if (failure !== null) {
      if (prompt.status === 'connect') note(await whatItSays(place));
      if (told === null) note(failure);
      throw queueRefusal(told ?? 'QUEUE_UNREACHABLE', shown);
    }
    try {
      return await call(prompt);
    } catch (error) {
      if (error instanceof ColdsealError) throw error;
      const fault = note(error);
      if (fault === null) throw error;
      throw queueRefusal(fault, shown);
    }
  };

  return {
    prompt,
    shown,
    openPatient: () => open({ maxRetriesPerRequest: null }),
    ask,
    note,
    wrote,
    close: () => closeRedis(prompt),
  };
};

const optionsOf = ({ url, password, patienceMs }: RedisPlace) => ({
  ...(password === null ? {} : { password }),
  // Said in so many words: the default obeys NODE_TLS_REJECT_UNAUTHORIZED.
  ...(url.startsWith('rediss:') ? { tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const } } : {}),
  connectTimeout: Math.min(patienceMs, 10_000),
  retryStrategy: (tries: number) => backoffMs(tries),
});

const PING_MS = 1000;

/**
 * What a server says that takes connections and is not ready: one that reads its log tells so, one in need says nothing.
 * ioredis waits for the former without a word.
 */
const whatItSays = async (place: RedisPlace): Promise<unknown> => {
  const more = { enableReadyCheck: false, maxRetriesPerRequest: 0, commandTimeout: PING_MS, retryStrategy: null };
  const redis = new Redis(place.url, { ...optionsOf(place), ...more });
  redis.on('error', () => undefined);
  try {
    return await redis.ping();
  } catch (error) {
    return error;
  } finally {
    redis.disconnect();
  }
};

/** `null` once commands can be sent; the last error when that takes too long. */
const untilReady = (redis: Redis, mostMs: number): Promise<Error | null> => {
  if (redis.status === 'ready') return Promise.resolve(null);
  return new Promise((resolve) => {
    let last: Error | null = null;
    const onError = (error: Error): void => {
      last = error;
      // A password does not become right by waiting.
      if (faultOf(error) === 'QUEUE_AUTH') finish(error);
    };
    // An address in front of a server that is gone takes connections and ends them: no error tells of that.
    const onClose = (): void => {
      last ??= new Error('Connection is closed');
    };
    const finish = (outcome: Error | null): void => {
      clearTimeout(timer);
      redis.off('close', onClose);
      redis.off('ready', onReady);
      redis.off('error', onError);
      redis.off('end', onEnd);
      resolve(outcome);
    };
    const onReady = (): void => finish(null);
    const onEnd = (): void => finish(last ?? new Error('ETIMEDOUT'));
    const timer = setTimeout(onEnd, mostMs);
    redis.on('close', onClose);
    redis.on('ready', onReady);
    redis.on('error', onError);
    redis.on('end', onEnd);
  });
};

/** Says goodbye where there is a connection; never waits for one. */
export const closeRedis = async (redis: Redis): Promise<void> => {
  if (redis.status === 'ready') await redis.quit().catch(() => undefined);
  redis.disconnect();
};

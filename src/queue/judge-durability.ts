/**
 * Whether this Redis remembers, after it was killed, that a send began. That mark is what keeps a second worker from
 * sending again, so a server that may forget it takes no sends: its log is off, it evicts keys, or it answers before the
 * log is on disk and cannot be asked to wait (WAITAOF, Redis 7.2 and Valkey). Where it has replicas, one of them must
 * know of the mark too, as one may take over: a replica that is cut off at that moment and promoted later knows nothing.
 */
import type { Redis } from 'ioredis';
import { ColdsealError } from '../contract/error.js';
import { queueRefusal } from './judge-fault.js';
import type { RedisLink } from './redis-link.js';

export interface Durability {
  /** Resolves when everything this connection wrote is on the server's disk, and with a replica where it has one. */
  settle(): Promise<void>;
}

const SETTLE_MS = 5_000;

const factIn = (info: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;

/** `QUEUE_UNSAFE` saying what to set; `QUEUE_*`. */
export const judgeDurability = (link: RedisLink): Promise<Durability> =>
  link.ask(async (redis) => {
    const persistence = await redis.info('persistence');
    const memory = await redis.info('memory');
    const wrong: string[] = [];
    if (factIn(persistence, 'aof_enabled') !== '1') wrong.push('appendonly is not yes');
    const policy = factIn(memory, 'maxmemory_policy');
    if (policy !== 'noeviction') wrong.push(`maxmemory-policy is ${policy ?? 'not said'}, not noeviction`);
    const canWait = await knowsWaitAof(redis);
    if (!canWait && (await appendFsync(redis)) !== 'always') {
      wrong.push('appendfsync is not always, and the server is older than Redis 7.2, so it cannot be asked to wait');
    }
    if (wrong.length > 0) {
      const { code, facts, message } = queueRefusal('QUEUE_UNSAFE', link.shown);
      throw new ColdsealError(code, `${message} (${wrong.join('; ')})`, { facts });
    }
    return { settle: () => settle(link, canWait) };
  });

const knowsWaitAof = async (redis: Redis): Promise<boolean> => {
  const answer = await redis.call('COMMAND', 'INFO', 'WAITAOF');
  return Array.isArray(answer) && Array.isArray(answer[0]);
};

/** `null` where the server does not tell, as managed ones do. */
const appendFsync = async (redis: Redis): Promise<string | null> => {
  try {
    const answer = await redis.call('CONFIG', 'GET', 'appendfsync');
    return Array.isArray(answer) ? String(answer[1] ?? '') : null;
  } catch {
    return null;
  }
};

const settle = async (link: RedisLink, canWait: boolean): Promise<void> => {
  if (canWait) {
    const answer = await link.ask((redis) => redis.call('WAITAOF', 1, 0, SETTLE_MS));
    if (!Array.isArray(answer) || Number(answer[0]) < 1) throw queueRefusal('QUEUE_SLOW', link.shown);
  }
  const replicas = Number(factIn(await link.ask((redis) => redis.info('replication')), 'connected_slaves') ?? 0);
  if (replicas === 0) return;
  if ((await link.ask((redis) => redis.wait(1, SETTLE_MS))) < 1) throw queueRefusal('QUEUE_SLOW', link.shown);
};

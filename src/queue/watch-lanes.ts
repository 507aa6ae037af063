/** What BullMQ tells of jobs as they go, from now on: for a live view. Whoever must not miss an end asks for the job. */
import { QueueEvents } from 'bullmq';
import type { JobEvent } from '../contract/job-queue.js';
import { PREFIX } from './once-store.js';
import { closeRedis, type RedisLink } from './redis-link.js';
import { readProgress } from './view-job.js';

export const watchLanes = async (
  link: RedisLink,
  lanes: readonly string[],
  onEvent: (event: JobEvent) => void,
): Promise<() => Promise<void>> => {
  const readers = lanes.map((lane) => {
    // Each reads with a call that blocks, so each has a connection of its own.
    const redis = link.openPatient();
    const events = new QueueEvents(lane, { connection: redis, prefix: PREFIX });
    events.on('error', link.note);
    events.on('waiting', ({ jobId: id }) => onEvent({ kind: 'state', id, state: 'waiting' }));
    events.on('delayed', ({ jobId: id }) => onEvent({ kind: 'state', id, state: 'delayed' }));
    events.on('active', ({ jobId: id }) => onEvent({ kind: 'state', id, state: 'running' }));
    events.on('completed', ({ jobId: id }) => onEvent({ kind: 'ended', id }));
    events.on('failed', ({ jobId: id }) => onEvent({ kind: 'ended', id }));
    events.on('progress', ({ jobId: id, data }) => {
      const progress = readProgress(data);
      if (progress !== null) onEvent({ kind: 'progress', id, progress });
    });
    return { redis, events };
  });
  await link.ask(() => Promise.all(readers.map(({ events }) => events.waitUntilReady())));
  return async () => {
    for (const { redis, events } of readers) {
      await events.close().catch(() => undefined);
      await closeRedis(redis);
    }
  };
};

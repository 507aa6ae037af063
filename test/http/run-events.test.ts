/** A run's live events for one reader: never more often than the least time between two, the end included. */
import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDeskRun } from '../../src/app/service/desk-run.js';
import { runEvents } from '../../src/http/run-events.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const words = { kind: 'change_review', verb: 'review' } as Parameters<typeof makeDeskRun>[0]['words'];
const begin = () => {
  const made = makeDeskRun({ id: 'rec-a', words, begun: new Date(0), cancel: () => undefined });
  const raw = new EventEmitter();
  const told: string[] = [];
  const read = async (): Promise<void> => {
    for await (const event of runEvents(made.run, { raw } as unknown as FastifyReply)) told.push(event);
  };
  return { made, raw, told, ended: read() };
};

it('tells steps that come fast together, at most one in 50 ms, and the last state first of all', async () => {
  const { made, told, ended } = begin();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toHaveLength(1);
  for (let ms = 0; ms < 40; ms += 1) {
    made.observe({ kind: 'scanned', items: 1, bytes: 1, blankedBytes: 1, findings: 0 });
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(told).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('"items":40');
  made.close({ ok: false, error: new Error('broken') });
  await vi.advanceTimersByTimeAsync(50);
  await ended;
  expect(told[2]).toMatch(/^event: ended\n/);
});

it('tells a change at once after a pause, and ends with its reader', async () => {
  const { made, raw, told, ended } = begin();
  await vi.advanceTimersByTimeAsync(1000);
  made.observe({ kind: 'stage', stage: 'scan' });
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toHaveLength(2);
  raw.emit('close');
  await vi.advanceTimersByTimeAsync(0);
  await ended;
  expect(told).toHaveLength(2);
});

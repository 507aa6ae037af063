import { expect, it } from 'vitest';
import { runChaos } from '../../bench/fleet-support.js';
import { programFile } from '../support/run-coldseal.js';
import { isWithoutRedis } from '../support/start-redis.js';

it.skipIf(isWithoutRedis)(
  'ends every job once, whatever dies: workers at random and Redis in the middle',
  { timeout: 300_000 },
  async () => {
    const words = { jobs: 60, workers: 4, machines: 2, redisRestarts: 1, kills: 3, program: programFile };
    const report = await runChaos({ ...words, say: () => undefined });
    expect(report.faults).toEqual([]);
    expect(report.redisRestarts).toBe(1);
    expect(report.kills).toBe(3);
  },
);

import { describe, expect, test } from 'vitest';
import { isWorthThread, type WorkSeen } from '../../src/pool/grow-when-worth.js';

const MIB = 1024 * 1024;
const seen = (more: Partial<WorkSeen>): WorkSeen => ({ threads: 1, waiting: 1, bytes: 1000, busyMs: 0, ...more });

describe('a further thread', () => {
  test.each<[string, Partial<WorkSeen>, boolean]>([
    ['a little that waits', {}, false],
    ['nothing that waits, however much runs', { waiting: 0, bytes: 50 * MIB, busyMs: 5000 }, false],
    ['two megabytes for one thread', { bytes: 2 * MIB }, true],
    ['two megabytes for two threads', { threads: 2, bytes: 2 * MIB }, false],
    ['four megabytes for two threads', { threads: 2, bytes: 4 * MIB }, true],
    ['small batches that took a tenth of a second', { busyMs: 100 }, true],
    ['a tenth of a second on two threads', { threads: 2, busyMs: 100 }, false],
  ])('for %s: %#', (_case, work, worth) => {
    expect(isWorthThread(seen(work))).toBe(worth);
  });
});

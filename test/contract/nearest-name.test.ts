import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/contract/nearest-name.js';

describe('the nearest name', () => {
  const names = ['base_url', 'models', 'key', 'withhold', 'cap'];

  it.each([
    ['modles', 'models'],
    ['model', 'models'],
    ['base-url', 'base_url'],
    ['BASE_URL', 'base_url'],
    ['witholds', 'withhold'],
    ['cpa', 'cap'],
    ['kye', 'key'],
    ['caps', 'cap'],
    ['temperature', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ])('to %j is %j', (typed, nearest) => {
    expect(nearestName(typed, names)).toBe(nearest);
  });
});

import { describe, expect, it } from 'vitest';
import { nearestName, orNearest } from '../../src/contract/nearest-name.js';

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

it('ends a sentence with the nearest name, if any, and where all of them are', () => {
  expect(orNearest(null, 'all are listed')).toBe('; all are listed');
  expect(orNearest('cap', 'all are listed')).toBe('; did you mean cap? all are listed');
});

import { describe, expect, it } from 'vitest';
import { deniedBy } from '../../src/contract/denylist.js';

describe('a denylist', () => {
  it.each([
    ['vendor/big', ['vendor/*'], 'vendor/*'],
    ['Vendor/Big', ['vendor/*'], 'vendor/*'],
    ['vendor/a/b', ['vendor/*'], 'vendor/*'],
    ['vendors/big', ['vendor/*'], null],
    ['vendor', ['vendor/*'], null],
    ['big-1', ['big-1'], 'big-1'],
    ['BIG-1', ['big-1'], 'big-1'],
    ['big-10', ['big-1'], null],
    ['vendor/big-1', ['big-1'], null],
    ['big-1', ['other', 'Big-1', 'big-*'], 'Big-1'],
    ['big-1', [], null],
  ])('judges %s by %j: %s', (model, entries, entry) => {
    expect(deniedBy(model, entries)).toBe(entry);
  });
});

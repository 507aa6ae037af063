import { expect, test } from 'vitest';
import { nextTag } from '../../src/kinds/next-tag.js';

test.each<[string, (string | null)[], string | null]>([
  ['v1.2.3', ['fix', 'breaking', 'additive'], 'v2.0.0'],
  ['v1.2.3', ['fix', 'additive'], 'v1.3.0'],
  ['v1.2.3', ['internal', 'fix'], 'v1.2.4'],
  ['0.3.9', ['breaking'], '0.4.0'],
  ['0.3.9', ['additive'], '0.3.10'],
  ['release-0.3.9-rc.1', ['fix'], 'release-0.3.10'],
  ['v1.2.3', ['internal'], null],
  ['v1.2.3', [], null],
  ['v1.2.3', ['fix', null], null],
  ['v1.2.3', ['fix', 'huge'], null],
  ['main', ['fix'], null],
])('After %s with %j comes %s.', (base, impacts, next) => {
  expect(nextTag(base, impacts)).toBe(next);
});

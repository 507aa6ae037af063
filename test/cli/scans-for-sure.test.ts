/** Which words begin a thread before anything else is loaded: all that scan whatever else they say, and no others. */
import { expect, test } from 'vitest';
import { scansForSure } from '../../src/cli/scans-for-sure.js';

const SCANNING: readonly (readonly string[])[] = [
  ['scan'],
  ['scan', '--ndjson'],
  ['pack', 'src'],
  ['--json', 'scan', '-'],
  ['-C', 'folder', 'pack'],
  ['-q', '-C', 'review', 'scan'],
];

const OTHERS: readonly (readonly string[])[] = [
  [],
  ['review', '--plan'],
  ['-C', 'scan', 'review'],
  ['jobs', 'scan'],
  ['explain', 'pack'],
  ['scan', '--help'],
  ['-h', 'pack'],
];

test.each(SCANNING.map((words) => [words.join(' '), words]))('the words "%s" begin a thread', (_, words) => {
  expect(scansForSure(words)).toBe(true);
});

test.each(OTHERS.map((words) => [words.join(' '), words]))('the words "%s" begin none', (_, words) => {
  expect(scansForSure(words)).toBe(false);
});

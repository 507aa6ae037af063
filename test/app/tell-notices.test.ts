import { describe, expect, it } from 'vitest';
import { gatherSurroundings } from '../../src/app/surroundings.js';
import { tellNotices } from '../../src/app/tell-notices.js';

const NOTICES = ['HOME is /a, not /b', 'a name that nothing uses'];

const said = (rounds: number, toldNotices?: Set<string>): readonly string[] => {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const surroundings = gatherSurroundings({ folder: '.', say: (line) => lines.push(line), signal });
  const shared = toldNotices === undefined ? surroundings : { ...surroundings, toldNotices };
  for (let round = 0; round < rounds; round += 1) tellNotices(shared, NOTICES);
  return lines;
};

describe('notices of the settings', () => {
  it('are each said by a run', () => {
    expect(said(1)).toEqual(NOTICES.map((notice) => `coldseal: ${notice}`));
  });

  it('are said once by a program that runs many jobs', () => {
    expect(said(3, new Set())).toEqual(NOTICES.map((notice) => `coldseal: ${notice}`));
  });
});

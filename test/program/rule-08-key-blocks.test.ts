/** Rule 8: a key over several lines is one placeholder, every line keeps its number, and a diff keeps its signs. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffText, expectedFrame } from '../support/expected-frame.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

let world: ProgramWorld;
let repository: MadeRepository;

const pem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
const FIRST = pem();
const SECOND = pem();

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
});
afterAll(async () => {
  await world.close();
  repository.close();
});

/** Each key's first line becomes its placeholder, its further lines keep only what stands before them. */
const blanked = (text: string, numbers: ReadonlyMap<string, number>, kind: string, sign: string): string => {
  let shown = text;
  for (const [key, number] of numbers) {
    const lines = key.trimEnd().split('\n');
    const read = lines.map((line, at) => (at === 0 ? line : `${sign}${line}`)).join('\n');
    const sent = lines.map((_, at) => (at === 0 ? `[blanked ${kind} #${number}]` : sign)).join('\n');
    shown = shown.split(read).join(sent);
  }
  return shown;
};

describe('rule 8: a key block', () => {
  it('is blanked in the diff and in the file, equal keys under one number', async () => {
    const base = repository.commit('first', { 'a.txt': 'a\n' });
    const text = `before\n${FIRST}between\n${SECOND}after\n`;
    const head = repository.commit('second', { 'b.txt': text, 'c.txt': `again\n${FIRST}` });
    const run = await world.runJson(repository.folder, ['review']);
    expect(run.ended).toBe('0 sent');
    const [row] = (run.document.bundle?.blanked ?? []) as readonly { kind: string }[];
    expect(row?.kind).toMatch(/^pem:[a-z0-9_]+$/);
    const kind = row?.kind ?? '';
    const numbers = new Map([
      [FIRST, 1],
      [SECOND, 2],
    ]);
    const diff = blanked(diffText(repository.folder, base, head), numbers, kind, '+');
    const items = [
      { input: 'diff', name: `${base}..${head}`, text: diff },
      { input: 'changed_files', name: 'b.txt', text: blanked(text, numbers, kind, '') },
      { input: 'changed_files', name: 'c.txt', text: blanked(`again\n${FIRST}`, numbers, kind, '') },
    ];
    expect(world.message()).toBe(expectedFrame(items, { blanked: 6 }));
    const placed = run.document.bundle?.blanked.map((one) =>
      Object.values(one as object)
        .slice(0, 2)
        .join(':'),
    );
    expect(placed?.slice(3)).toEqual(['itm-0002:2', `itm-0002:${FIRST.split('\n').length + 2}`, 'itm-0003:2']);
  });
});

/**
 * Repositories that mean harm, at the sizes a test can afford: packed, or refused with the code that says which bound. The
 * large ones are `npm run bench -- hostile`.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  cyclicLinks,
  deepTree,
  deltaBomb,
  lyingLoose,
  lyingPack,
  manyRefs,
  oneFileAt,
  pathOf,
  sameFiles,
} from '../support/hostile-shapes.js';
import type { MadeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

const MIB = 1024 * 1024;

let home: ProgramHome;
beforeAll(() => {
  home = makeProgramHome({});
});
afterAll(() => home.remove());

interface Shape {
  readonly name: string;
  readonly make: () => MadeRepository | Promise<MadeRepository>;
  readonly code: string;
  readonly says: RegExp;
}

const REFUSED: readonly Shape[] = [
  { name: 'a tree 4,000 folders deep', make: () => deepTree(4000), code: 'ITEM_TOO_LARGE', says: /path of \d+ bytes/ },
  { name: 'a path one byte too long', make: () => oneFileAt(pathOf(4097)), code: 'ITEM_TOO_LARGE', says: /4097 bytes/ },
  {
    name: '200,000 files',
    make: () => sameFiles(200),
    code: 'ITEM_TOO_LARGE',
    says: /more than 100000 items/,
  },
  {
    name: 'a loose object that goes on after its size',
    make: () => lyingLoose(10, 100_000),
    code: 'GIT_FAILED',
    says: /lost its place/,
  },
  {
    name: 'a loose object of a terabyte, by its header',
    make: () => lyingLoose(2 ** 40, 10),
    code: 'ITEM_TOO_LARGE',
    says: /1099511627776 bytes/,
  },
  {
    name: 'a packed object with more than its size',
    make: () => lyingPack(10, 100_000),
    code: 'ITEM_UNREADABLE',
    says: /git fsck/,
  },
  {
    name: 'a packed object with less than its size',
    make: () => lyingPack(60 * MIB, 10),
    code: 'ITEM_UNREADABLE',
    says: /git fsck/,
  },
  {
    name: 'a file of 5 GB, in deltas',
    make: () => deltaBomb(128 * MIB, 5120 * MIB),
    code: 'ITEM_TOO_LARGE',
    says: /bomb\.txt has 5368709120 bytes; at most 67108864/,
  },
  {
    name: 'a small file that git can make only by way of 640 MiB',
    make: () => deltaBomb(640 * MIB, 1000),
    code: 'ITEM_TOO_LARGE',
    says: /in one piece/,
  },
];

it.each(REFUSED)('$name is refused with $code', { timeout: 120_000 }, async ({ make, code, says }) => {
  const made = await make();
  try {
    const { document, exit } = await home.runJson(made.folder, ['pack', '.']);
    expect([exit, document.code]).toEqual([2, code]);
    expect(document.message).toMatch(says);
  } finally {
    made.close();
  }
});

const PACKED: readonly (readonly [string, () => MadeRepository | Promise<MadeRepository>, readonly string[]])[] = [
  ['a path at the limit', () => oneFileAt(pathOf(4096)), [pathOf(4096)]],
  [
    'links in circles, as their own text',
    cyclicLinks,
    ['a', 'b', 'folder/here', 'folder/text.txt', 'folder/up', 'self'],
  ],
  ['a file over deltas that unfold to less than git may take', () => deltaBomb(64 * MIB, 1000), ['bomb.txt']],
  ['a repository of 20,000 refs', () => manyRefs(20_000), ['a.txt']],
];

it.each(PACKED)('%s is packed', { timeout: 120_000 }, async (_, make, paths) => {
  const made = await make();
  try {
    const { document, exit } = await home.runJson(made.folder, ['pack', '.']);
    expect([exit, document.outcome]).toEqual([0, 'packed']);
    expect(document.bundle?.items.map((item) => item['path'])).toEqual(paths);
  } finally {
    made.close();
  }
});

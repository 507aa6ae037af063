/** Rule 7: over the cap nothing is cut short and nothing leaves; the refusal says every figure and the way out. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { type JsonRun, makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

let world: ProgramWorld;
let repository: MadeRepository;
let root: string;
let whole: JsonRun;

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line number ${at}\n`).join('');

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  root = repository.commit('first', { 'a.txt': 'a\n' });
  repository.commit('second', {
    'a b.lock': lines(3000),
    'big.txt': lines(1500),
    "it's.txt": lines(800),
    'a.txt': 'b\n',
  });
  whole = await world.runJson(repository.folder, ['review', '--plan']);
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const withBundles = (bundles: unknown) => {
  const { oracle, coldseal } = world.fragment();
  return { oracle: { ...oracle, bundles }, coldseal };
};

const CAP = 2000;
type Row = readonly [name: string, bundles: () => unknown, capBytes: number, origin: string, said: string];
const CAPS: readonly Row[] = [
  ['the machine’s', () => ({ cap: CAP }), CAP, 'machine', 'set for this machine'],
  [
    'the project’s over the machine’s',
    () => ({ cap: '1MiB', projects: { [root]: { cap: '2KB' } } }),
    2000,
    'project',
    'set for this project',
  ],
  ['one below the smallest possible bundle', () => ({ cap: 1 }), 1, 'machine', 'set for this machine'],
];

describe('rule 7: a bundle over the cap', () => {
  it('is sized alike by a plan and by a send: the same items in the same order with the same figures', async () => {
    const home = makeProgramHome(withBundles({ cap: CAP }));
    try {
      const plan = await home.runJson(repository.folder, ['review', '--plan']);
      const send = await home.runJson(repository.folder, ['review']);
      const files = ({ document }: JsonRun): readonly string[] =>
        (document.message ?? '').split('\n').filter((line) => line.includes(' changed_files '));
      expect(files(plan).length).toBeGreaterThan(2);
      expect(files(send)).toEqual(files(plan));
    } finally {
      home.remove();
    }
  });

  it('is refused before any call with size, raw size, cap, its origin, key and command; only a row is written', async () => {
    const raw = Number(whole.document.bundle?.['raw_bytes']);
    await atOnce(CAPS, async ([name, bundles, capBytes, origin, said]) => {
      const home = makeProgramHome(withBundles(bundles()));
      try {
        const { ended, document } = await home.runJson(repository.folder, ['review']);
        expect(ended, name).toMatch(/^2 refused OVER_CAP /);
        const message = document.message ?? '';
        expect(message, name).toMatch(/^the bundle is (?:at least )?\d+ bytes as sent, /);
        expect(message).toContain(`${raw} bytes raw`);
        expect(message).toContain(`the cap is ${capBytes} bytes (${said}, key oracle.bundles.projects.${root}.cap`);
        expect(message).toMatch(/To raise the cap: coldseal cap 1MiB --project\n/);
        expect(home.rows(), name).toMatchObject([
          { event: 'refused', code: 'OVER_CAP', facts: { cap: capBytes, cap_origin: origin, raw_bytes: raw } },
        ]);
      } finally {
        home.remove();
      }
    });
    expect(world.sandbox.connections()).toBe(0);
    expect(existsSync(join(repository.folder, '.abcd'))).toBe(false);
  });

  it('names the largest items with the line that withholds each, quoted for a shell', async () => {
    const home = makeProgramHome(withBundles({ cap: CAP }));
    try {
      const { document, stderr } = await home.runJson(repository.folder, ['review', '--plan']);
      const [, ...items] = (document.message ?? '').split('\n');
      expect(items.map((line) => line.replace(/\d+ bytes raw/, 'N bytes raw'))).toEqual([
        expect.stringMatching(/^ {2}itm-0001 diff [0-9a-f]{40}\.\.[0-9a-f]{40} \(N bytes raw\)$/),
        "  itm-0002 changed_files a b.lock (N bytes raw): coldseal withhold add 'a b.lock'",
        '  itm-0004 changed_files big.txt (N bytes raw): coldseal withhold add big.txt',
        "  itm-0005 changed_files it's.txt (N bytes raw): coldseal withhold add 'it'\\''s.txt'",
        '  itm-0003 changed_files a.txt (N bytes raw): coldseal withhold add a.txt',
      ]);
      expect(home.rows()).toEqual([]);
      expect(stderr).not.toContain('at least');
    } finally {
      home.remove();
    }
  });

  it('fits once the person follows the advice: what is withheld is counted and the rest is whole', async () => {
    const home = makeProgramHome(withBundles({ cap: '40KB' }));
    try {
      expect((await home.runJson(repository.folder, ['review', '--plan'])).ended).toMatch(/^2 refused OVER_CAP /);
      expect((await home.run(repository.folder, ['withhold', 'add', '*.lock'])).exit).toBe(0);
      expect((await home.run(repository.folder, ['withhold', 'add', 'big.txt'])).exit).toBe(0);
      const { ended, document } = await home.runJson(repository.folder, ['review', '--plan']);
      expect(ended).toBe('0 planned');
      const omitted = document.bundle?.items.filter((item) => item['omitted'] === 'withheld');
      expect(omitted?.map((item) => item['path'])).toEqual(['a b.lock', 'big.txt']);
    } finally {
      home.remove();
    }
  });
});

describe('rule 7: which cap is in force', () => {
  const REFUSED = [0, -1, 1.5, 268435457, '257MiB', '4 mib', '4  MiB', '1e3', 'MiB', true, null, '4MiB '];

  it('is the default of 4 MiB without any setting, and a bundle over it is refused with that origin', async () => {
    const made = makeRepository();
    try {
      made.commit('first', { 'a.txt': 'a\n' });
      const key = made.git(['rev-parse', 'HEAD']);
      made.commit('second', { 'large.txt': `${'plain words and more of them '.repeat(100)}\n`.repeat(900) });
      const { ended, document } = await world.runJson(made.folder, ['review']);
      expect(ended).toMatch(/^2 refused OVER_CAP /);
      expect(document.message).toContain(
        `the cap is 4194304 bytes (the default, key oracle.bundles.projects.${key}.cap`,
      );
      expect(document.message).toContain('To raise the cap: coldseal cap 8MiB --project');
      expect((await world.run(made.folder, ['cap', '8MiB', '--project'])).exit).toBe(0);
      const sent = await world.runJson(made.folder, ['review']);
      expect(sent.ended).toBe('0 sent');
      expect(sent.document.bundle).toMatchObject({ cap: 8388608, cap_origin: 'project' });
      expect(Buffer.byteLength(world.message())).toBe(sent.document.bundle?.bytes);
    } finally {
      made.close();
      world.writeMachine(world.fragment());
    }
  });

  it('may be 256 MiB, in bytes or with a unit, and no more; anything else is CONFIG_INVALID with its place', async () => {
    const home = makeProgramHome(withBundles({ cap: 268435456 }));
    try {
      const largest = await home.runJson(repository.folder, ['review', '--plan']);
      expect(largest.document.bundle).toMatchObject({ cap: 268435456, cap_origin: 'machine' });
      expect((await home.run(repository.folder, ['cap', '256MiB'])).exit).toBe(0);
      expect((await home.run(repository.folder, ['cap', '256.5MiB'])).exit).toBe(2);
    } finally {
      home.remove();
    }
    await atOnce(REFUSED, async (cap) => {
      const wrong = makeProgramHome(withBundles({ cap }));
      try {
        const ran = await wrong.run(repository.folder, ['config', 'check']);
        expect([ran.exit, JSON.stringify(cap)]).toEqual([2, JSON.stringify(cap)]);
        expect(ran.stderr).toMatch(/config\.json:1:\d+: oracle\.bundles\.cap (?:must be|is) /);
      } finally {
        wrong.remove();
      }
    });
  });
});

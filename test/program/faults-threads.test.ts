/**
 * A scan thread that ends at V8's own limit of its heap, under the built program: the death is V8's, nothing of the program
 * is replaced. A file loaded before it sets the limit lower, so that the test need not fill a gigabyte.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

/** A thread starts within 16; what the hungry items ask for is far over it. */
const HEAP_MIB = 32;
const HUNGRY_MATCHES = 240_000;

let world: ProgramWorld;
let repository: MadeRepository;
let outside: string;
beforeAll(async () => {
  world = await openProgramWorld();
  outside = makeTestFolder();
});
afterAll(async () => {
  await world.close();
  rmSync(outside, { recursive: true, force: true });
});
beforeEach(() => {
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'one line\n' });
  world.sandbox.play(readScript({ replies: [{}] }));
  return () => repository.close();
});

/** `inThread` is run in each thread before the program's own file. */
const withSmallHeap = (name: string, inThread: string): Readonly<Record<string, string>> => {
  const file = join(outside, `${name}.cjs`);
  writeFileSync(
    file,
    `const threads = require('node:worker_threads');
if (threads.isMainThread) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      const resourceLimits = { ...options.resourceLimits, maxOldGenerationSizeMb: ${HEAP_MIB} };
      super(file, { ...options, resourceLimits, execArgv: ['--require', __filename] });
    }
  };
  require('node:module').syncBuiltinESMExports();
} else {
  ${inThread}
}
`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
};

const review = async (environment: Readonly<Record<string, string>>) => {
  const before = { connections: world.sandbox.connections(), rows: world.rows().length };
  const ran = await world.run(repository.folder, ['review', '--json'], { environment });
  return {
    ...ran,
    connections: world.sandbox.connections() - before.connections,
    rows: world.rows().slice(before.rows),
  };
};

it('An item that takes more than a thread may hold refuses the run by its name, twice tried, and nothing is sent.', async () => {
  const machine = world.fragment();
  const hungry = { private: [{ id: 'everywhere', pattern: 'a[0-9]b' }], threads: 1 };
  const bundles = { cap: '128 MiB' };
  world.writeMachine({ oracle: { ...machine.oracle, bundles }, coldseal: { ...machine.coldseal, ...hungry } });
  repository.commit('second', { 'hungry.txt': 'a1b\n'.repeat(HUNGRY_MATCHES), 'plain.txt': 'plain\n' });
  const ran = await review(withSmallHeap('hungry', ''));
  expect([ran.exit, ran.connections]).toEqual([2, 0]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    outcome: 'refused',
    code: 'SCAN_FAILED',
    message: expect.stringMatching(
      /could not be scanned to its end \(thread-died: two scan threads ended on this input/,
    ),
  });
  expect(ran.rows).toMatchObject([{ event: 'refused', code: 'SCAN_FAILED' }]);
  expect((await world.run(repository.folder, ['records', 'verify'])).exit).toBe(0);

  world.writeMachine({ ...machine, oracle: { ...machine.oracle, bundles } });
  repository.commit('third', { 'plain.txt': 'another\n' });
  expect(await review(withSmallHeap('after', ''))).toMatchObject({
    exit: 0,
    rows: [{ event: 'start' }, { event: 'end', outcome: 'sent' }],
  });
});

it('A thread that ends so once is replaced, and what is sent is the same as without it.', async () => {
  world.writeMachine(world.fragment());
  repository.commit('second', { 'a.txt': 'another line\n', 'b.txt': 'the one that meets it\n' });
  const calm = await review(withSmallHeap('calm', ''));
  const expected = world.message();
  const mark = join(outside, 'died');
  // Fills the heap with real numbers while the thread looks at the item, the first time alone.
  const eats = `const { existsSync, writeFileSync } = require('node:fs');
  const from = Buffer.from;
  Buffer.from = (...words) => {
    const made = from(...words);
    if (words[0] instanceof SharedArrayBuffer && made.includes('the one that meets it') && !existsSync('${mark}')) {
      writeFileSync('${mark}', '');
      for (const held = []; ; ) held.push(new Array(100_000).fill(held.length + 0.5));
    }
    return made;
  };`;
  const ran = await review(withSmallHeap('once', eats));
  expect(existsSync(mark)).toBe(true);
  expect([calm.exit, ran.exit, ran.connections]).toEqual([0, 0, 1]);
  expect(world.message()).toBe(expected);
  expect(ran.rows).toMatchObject([{ event: 'start' }, { event: 'end', outcome: 'sent' }]);
});

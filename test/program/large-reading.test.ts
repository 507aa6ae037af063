/**
 * Big cold readings are a main use: 64 MiB through the built program. The memory that the whole process held at most is
 * asked of the process itself at its end.
 */
import { copyFileSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeReading, parkReading, RUN_FOLDER, sha256Hex } from '../support/park-reading.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const MIB = 1024 * 1024;
const TOKEN = expandExample('{github:ghp}', 'large reading');
const RUN = 'rdg-64';
const LINES = 'export const total = (rows: readonly Row[]): number => rows.length; // "quoted" \\ one\tline\n';

/** Prints the most memory that the process held, in MiB, as the last line of stderr. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  [
    "import { isMainThread } from 'node:worker_threads';",
    'const say = () => process.stderr.write("\\nmost memory " + Math.ceil(process.resourceUsage().maxRSS / 1024) + "\\n");',
    "if (isMainThread) process.on('exit', say);",
  ].join(''),
)}`;

let world: ProgramWorld;
let repository: MadeRepository;

/** A large item, then many of middle size, then very many small ones; a token in each of the first two sorts. */
const texts: readonly string[] = [
  `${LINES.repeat(Math.floor((24 * MIB) / LINES.length))}token = "${TOKEN}"\n`,
  ...Array.from({ length: 36 }, (_, at) => `// ${at}\n${LINES.repeat(Math.floor(MIB / LINES.length))}"${TOKEN}"\n`),
  ...Array.from({ length: 4096 }, (_, at) => `// small ${at}\n${LINES.repeat(10)}`),
];

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
  const items = texts.map((text) => ({ kind: 'source', text, scan: 'unscanned' as const }));
  const { bundle, manifest } = makeReading(RUN, 'detection', items);
  parkReading(repository.folder, RUN, JSON.stringify(bundle), JSON.stringify(manifest));
});
afterAll(async () => {
  repository.close();
  await world.close();
});

const withCap = (cap: string | null): void => {
  const machine = world.fragment();
  const [target] = Object.values(machine.oracle['roles'] as Record<string, string>);
  const bundles = cap === null ? {} : { cap };
  world.writeMachine({
    ...machine,
    oracle: { ...machine.oracle, roles: { 'cold-reading-detection': target }, bundles },
    coldseal: { ...machine.coldseal, threads: 2 },
  });
};
const ingest = async (...words: string[]) => {
  const run = await world.run(repository.folder, ['reading', 'ingest', '--dispatch', RUN, ...words], {
    environment: { NODE_OPTIONS: `--import ${REPORT}` },
  });
  return { ...run, mostMib: Number(/\nmost memory (\d+)\n$/.exec(run.stderr)?.[1] ?? Number.NaN) };
};

describe('a reading of 64 MiB', () => {
  beforeEach(() => withCap('256MiB'));

  it('is sent whole, every text blanked, in memory of a few times its size', async () => {
    const sent = await ingest('--json');
    expect(sent.exit).toBe(0);
    const message = world.message();
    const { bundle } = JSON.parse(message.slice(message.indexOf('\n\n'))) as { bundle: { items: { text: string }[] } };
    const blanked = texts.map((text) => text.replaceAll(TOKEN, '[blanked token:github_pat #1]'));
    expect(bundle.items.length).toBe(texts.length);
    const wrong = bundle.items.flatMap(({ text }, at) => (text === blanked[at] ? [] : [at]));
    expect(wrong).toEqual([]);
    expect(message.includes(TOKEN)).toBe(false);
    const { bundle: told } = JSON.parse(sent.stdout) as { bundle: Record<string, unknown> };
    expect(told).toMatchObject({
      raw_bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      digest: `sha256:${sha256Hex(message)}`,
      unscanned_at_assembly: texts.length,
      scanned_now: texts.length,
    });
    expect((told['blanked'] as unknown[]).length).toBe(37);
    expect(sent.mostMib).toBeLessThan(640);
  }, 300_000);

  it('is refused under the default cap in the memory of a small one', async () => {
    withCap(null);
    const refused = await ingest('--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: 'refused', code: 'OVER_CAP' });
    expect(refused.mostMib).toBeLessThan(280);
  }, 300_000);

  it('is refused unread where a file is over 256 MiB', async () => {
    const file = join(repository.folder, RUN_FOLDER, RUN, 'manifest.json');
    copyFileSync(file, `${file}.kept`);
    truncateSync(file, 256 * MIB + 1);
    const refused = await ingest('--json');
    renameSync(`${file}.kept`, file);
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'READING_INVALID' });
    expect(String((JSON.parse(refused.stdout) as { message: string }).message)).toContain('256 MiB');
  }, 300_000);
});

/**
 * Program: memory and time of cold readings. `npm run bench -- reading [MIB...]` parks a reading of each size (16, 64 and
 * 256) and sends it with the built program to a sandbox over TLS. A reading's memory may grow with the sealed bundle and
 * with nothing else, so what is told is the peak beyond the bundle's own bytes.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expandExample } from '../src/rules/expand-example.js';
import { type Sandbox, startSandbox } from '../src/sandbox/start-sandbox.js';
import { makeRepository } from '../test/support/make-repository.js';
import { makeProgramHome } from '../test/support/program-home.js';
import { watchMemory } from './support/child-memory.js';

const MIB = 1024 * 1024;
const MOST_BEYOND_BYTES = 400_000_000;
const ITEM_BYTES = MIB;
const LARGE_ITEM_BYTES = 24 * MIB;
/** Different secrets among the items; each stands in many. */
const VALUES = 40;
const RUN = 'rdg-1';
const RUN_FOLDER = '.abcd/.work.local/scratch/reading-runs';
const LINE = 'export const total = (rows: readonly Row[]): number => rows.length + offset; // é\n';

/** One large item, then items of 1 MiB, to `bytes` of texts in all; written piece by piece. */
const parkReading = async (folder: string, bytes: number): Promise<void> => {
  const run = join(folder, RUN_FOLDER, RUN);
  mkdirSync(run, { recursive: true });
  const shared = { schema_version: 10, position: 'detection', preset: {} };
  const file = createWriteStream(join(run, 'bundle.json'));
  const put = async (text: string): Promise<void> => {
    if (!file.write(text)) await once(file, 'drain');
  };
  await put(
    `${JSON.stringify({ _type: 'abcd.reading.bundle', ...shared, context_stamp: 'a tree' }).slice(0, -1)},"items":[`,
  );
  const items: Record<string, unknown>[] = [];
  for (let left = bytes; left > 0; ) {
    const size = Math.min(left, items.length === 0 && bytes > 2 * LARGE_ITEM_BYTES ? LARGE_ITEM_BYTES : ITEM_BYTES);
    const token = expandExample('{github:ghp}', `reading ${items.length % VALUES}`);
    const head = `// ${items.length}\nconst token = '${token}';\n`;
    const lines = LINE.repeat(Math.max(0, Math.floor((size - head.length) / Buffer.byteLength(LINE))));
    const text = `${head}${lines}`.padEnd(size - (Buffer.byteLength(lines) - lines.length), '.');
    const key = `itm-${String(items.length + 1).padStart(4, '0')}`;
    await put(`${items.length === 0 ? '' : ','}${JSON.stringify({ item_key: key, kind: 'source', text })}`);
    items.push({
      item_key: key,
      path: `src/part-${items.length}.ts`,
      kind: 'source',
      scan: 'unscanned',
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    left -= Buffer.byteLength(text);
  }
  await put(']}');
  file.end();
  await once(file, 'close');
  const manifest = {
    _type: 'abcd.reading.manifest',
    ...shared,
    run_id: RUN,
    target_commit: 'a1'.repeat(20),
    assembler_version: `2.4.0+sha256:${'b2'.repeat(32)}`,
    preset_hash: `sha256:${'c3'.repeat(32)}`,
    items,
    exclusions: [],
  };
  writeFileSync(join(run, 'manifest.json'), JSON.stringify(manifest));
};

const ingest = async (folder: string, home: string, words: readonly string[]) => {
  const beganMs = performance.now();
  const child = spawn(
    process.execPath,
    [resolve('dist/cli.js'), 'reading', 'ingest', '--dispatch', RUN, '--json', ...words],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const memory = watchMemory(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const [exit] = (await once(child, 'close')) as [number];
  memory.stop();
  const document = JSON.parse(said) as { outcome: string; code?: string; bundle?: { bytes: number } };
  return { exit, document, peakBytes: memory.peakBytes(), seconds: (performance.now() - beganMs) / 1000 };
};

const measure = async (sandbox: Sandbox, mib: number) => {
  // The frame and the escapes of the texts count too, and the cap ends at 256 MiB.
  const bytes = Math.min(mib * MIB, 250 * MIB);
  const repository = makeRepository();
  const machine = structuredClone(sandbox.fragment) as { oracle: Record<string, unknown>; coldseal: object };
  const [target] = Object.values(machine.oracle['roles'] as Record<string, string>);
  const home = makeProgramHome({
    ...machine,
    oracle: { ...machine.oracle, roles: { 'cold-reading-detection': target }, bundles: { cap: '256MiB' } },
    coldseal: { ...machine.coldseal, threads: 2 },
  });
  try {
    repository.commit('first', { 'a.txt': 'a\n' });
    await parkReading(repository.folder, bytes);
    const { exit, document, peakBytes, seconds } = await ingest(repository.folder, home.home, []);
    const sealed = document.bundle?.bytes ?? 0;
    const beyond = peakBytes - sealed;
    return {
      reading_mib: mib,
      outcome: document.code ?? document.outcome,
      sealed_mb: Number((sealed / 1e6).toFixed(1)),
      seconds: Number(seconds.toFixed(1)),
      peak_rss_mb: Math.round(peakBytes / 1e6),
      beyond_bundle_mb: Math.round(beyond / 1e6),
      holds: exit === 0 && sealed > bytes && beyond < MOST_BEYOND_BYTES,
    };
  } finally {
    rmSync(repository.folder, { recursive: true, force: true });
    home.remove();
  }
};

const sizes = process.argv.slice(2).map(Number);
const sandbox = await startSandbox({ tls: true });
try {
  for (const mib of sizes.length === 0 ? [16, 64, 256] : sizes) {
    const row = await measure(sandbox, mib);
    process.stdout.write(`${JSON.stringify(row)}\n`);
    if (!row.holds) process.exitCode = 1;
  }
} finally {
  await sandbox.close();
}

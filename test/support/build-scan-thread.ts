/**
 * Builds the scan thread, the prefilter and rule tables of the test's own rules into a folder inside the project, where
 * `re2` resolves. The sources as they are now are tested, not what an earlier build left in `dist/`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { makeTables } from '../../src/engine/make-tables.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface BuiltScanThread {
  readonly folder: string;
  readonly workerFile: string;
  readonly tablesPath: string;
  readonly prefilterPath: string;
  readonly remove: () => void;
}

/** The arguments of the AssemblyScript compiler; the package's build uses the same. */
export const buildPrefilter = (outFile: string): void => {
  execFileSync(process.execPath, [
    join(root, 'node_modules/assemblyscript/bin/asc.js'),
    join(root, 'src/engine/wasm/prefilter.as.ts'),
    join(root, 'src/views/wasm/candidates.as.ts'),
    ...['--config', 'none', '--outFile', outFile, '--runtime', 'stub', '--optimizeLevel', '3', '--shrinkLevel', '0'],
    ...['--enable', 'simd', '--importMemory', '--noAssert'],
  ]);
};

export const buildScanThread = async (rulesFolder: string): Promise<BuiltScanThread> => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'coldseal-test-'));
  const workerFile = join(folder, 'scan-worker.cjs');
  const tablesPath = join(folder, 'rules.tables');
  const prefilterPath = join(folder, 'prefilter.wasm');
  await build({
    absWorkingDir: root,
    entryPoints: ['workers/scan.ts'],
    outfile: workerFile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['re2'],
    logLevel: 'error',
  });
  buildPrefilter(prefilterPath);
  writeFileSync(tablesPath, makeTables(rulesFolder));
  return {
    folder,
    workerFile,
    tablesPath,
    prefilterPath,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** Bundles one TypeScript entry into a file that Node runs as a child: locks and kills are between real processes. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface BuiltChild {
  readonly file: string;
  readonly remove: () => Promise<void>;
}

/** @param entry relative to the project's root. Packages are resolved from the project. */
export async function buildChild(entry: string): Promise<BuiltChild> {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'coldseal-child-'));
  const file = join(folder, 'child.mjs');
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'error',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

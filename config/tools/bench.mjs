// Runs one benchmark of `bench/`: `npm run bench -- NAME [words]`, e.g. `npm run bench -- micro/engine`. Without a name it
// lists them. The benchmark is bundled like the thread is, so that it measures what is shipped and not a loader.
import { mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { root, run } from './run-program.mjs';

const folder = join(root, 'bench');
const benchmarks = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /^(?!.*(?:corpora|support)).*\.ts$/.test(entry.name))
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replace(/\.ts$/, ''))
  .sort();

const [name, ...words] = process.argv.slice(2);
if (name === undefined || !benchmarks.includes(name)) {
  console.log(`benchmarks:\n${benchmarks.map((one) => `  npm run bench -- ${one}`).join('\n')}`);
  process.exit(name === undefined ? 0 : 2);
}

run(process.execPath, ['config/tools/build.mjs']);
const cache = join(root, 'node_modules', '.cache', 'coldseal-bench');
mkdirSync(cache, { recursive: true });
const outfile = join(cache, `${name.replaceAll('/', '-')}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: [join('bench', `${name}.ts`)],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
});
run(process.execPath, ['--expose-gc', outfile, ...words]);

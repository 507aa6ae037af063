// Runs the benchmarks of `bench/`. `npm run bench` lists them and runs the standard table, one after the other, each
// writing its raw run; `npm run bench -- --quick` does so with small sizes. `npm run bench -- NAME [words]` runs one, e.g.
// `npm run bench -- ratios --quick`; `npm run bench -- all` runs every
// one with its own sizes, `npm run bench -- list` only lists.
//
// A benchmark is bundled like the thread is, so that it measures what is shipped and not a loader.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root, run, statusOf } from './run-program.mjs';

/** Without a name: what the promises of speed, memory and exactness rest on, a few minutes each. */
const STANDARD = ['ratios', 'latency', 'macro', 'growth', 'pathological', 'harmless', 'exactness'];
/** Folders with what benchmarks share, what they are measured against, and what they wrote. */
const NO_PROGRAMS = new Set(['support', 'peers', 'runs', 'corpora']);

const namesBelow = (folder, prefix) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) {
      return NO_PROGRAMS.has(entry.name) ? [] : namesBelow(join(folder, entry.name), `${prefix}${entry.name}/`);
    }
    const isProgram = entry.name.endsWith('.ts') && !/-(?:corpora|support)\.ts$/.test(entry.name);
    return isProgram ? [prefix + entry.name.slice(0, -'.ts'.length)] : [];
  });

const benchmarks = namesBelow(join(root, 'bench'), '').sort();

/** The second line of a benchmark's header says what it is. */
const titleOf = (name) => {
  const [, second = ''] = readFileSync(join(root, 'bench', `${name}.ts`), 'utf8').split('\n');
  return second.replace(/^ \* (?:Program: )?/, '').replace(/\. .*$/, '');
};

const list = () => {
  const widest = Math.max(...benchmarks.map((name) => name.length));
  for (const name of benchmarks) console.log(`  npm run bench -- ${name.padEnd(widest)}  ${titleOf(name)}`);
};

const bundle = async (name) => {
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
  return outfile;
};

const runOne = async (name, words) => statusOf(process.execPath, ['--expose-gc', await bundle(name), ...words]);

const runSeveral = async (names, words) => {
  const failed = [];
  for (const name of names) {
    console.log(`\n== ${name}: ${titleOf(name)}`);
    if ((await runOne(name, words)) !== 0) failed.push(name);
  }
  if (failed.length > 0) console.log(`\ndid not hold: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
};

const [first, ...words] = process.argv.slice(2);
const isStandard = first === undefined || first.startsWith('--');
const isAll = first === 'all';
if (isStandard || isAll || first === 'list') {
  console.log('benchmarks:');
  list();
} else if (!benchmarks.includes(first)) {
  console.error(`there is no benchmark ${first}; \`npm run bench -- list\` names all`);
  process.exit(2);
}
if (first !== 'list') {
  run(process.execPath, ['config/tools/build.mjs']);
  if (isStandard) process.exitCode = await runSeveral(STANDARD, process.argv.slice(2));
  else process.exitCode = isAll ? await runSeveral(benchmarks, []) : await runOne(first, words);
}

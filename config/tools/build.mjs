// Builds `dist/` from the sources: the command line and library as ES modules, the scan thread as one self-contained
// CommonJS file (style.md: an ES-module worker can abort the process when a pool closes at once), the prefilter as
// WebAssembly, the rule tables, the page, and the library's types. A stamp over everything that goes in makes a second
// build free.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { binary, root, run } from './run-program.mjs';

const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp');
const WASM_SOURCES = ['src/engine/wasm/prefilter.as.ts', 'src/views/wasm/candidates.as.ts'];

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();

const inputs = () => [
  ...['src', 'workers', 'config'].flatMap((folder) => filesBelow(join(root, folder))),
  ...['package.json', 'package-lock.json', 'tsconfig.json'].map((name) => join(root, name)),
];

const stampOf = () => {
  const hash = createHash('sha256').update(process.version);
  for (const file of inputs()) {
    const bytes = readFileSync(file);
    hash.update(`\0${relative(root, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
};

const bundleModules = async (esbuild) => {
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
    legalComments: 'none',
  };
  await esbuild.build({
    ...shared,
    entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts', 'build-tables': 'src/engine/build-tables.ts' },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
  await esbuild.build({
    ...shared,
    entryPoints: { 'scan-worker': 'workers/scan.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // Everything but the native module: the thread's file must load nothing else.
    packages: 'bundle',
    external: ['re2'],
  });
};

/** One module for every inner loop; each user of it gives it a memory of its own. */
const compileWasm = async () => {
  const asc = await import('assemblyscript/asc');
  const words = ['--config', 'none', '--outFile', 'dist/prefilter.wasm', '--runtime', 'stub', '--noAssert'];
  const speed = ['--optimizeLevel', '3', '--shrinkLevel', '0', '--enable', 'simd', '--importMemory'];
  const { error, stderr } = await asc.main([...WASM_SOURCES, ...words, ...speed], { baseDir: root });
  if (error !== null) {
    console.error(stderr.toString());
    throw error;
  }
};

/** The browser's files: hashed names, so that they may be kept for ever, and the one document that names them. */
const buildPage = async (esbuild) => {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { page: 'src/page/main.tsx', mark: 'src/page/mark.svg' },
    loader: { '.svg': 'copy' },
    outdir: 'dist/page/assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfig: 'config/tsconfig.page.json',
    logLevel: 'warning',
    legalComments: 'none',
    metafile: true,
  });
  const named = (ending) => {
    const found = Object.keys(metafile.outputs).filter((path) => path.endsWith(ending));
    if (found.length !== 1) throw new Error(`the page has ${found.length} files ${ending}, not 1`);
    return `assets/${basename(found[0])}`;
  };
  const template = readFileSync(join(root, 'src', 'page', 'page.html'), 'utf8');
  const document = template.replace(/\{(script|style|mark)\}/g, (_, name) =>
    named({ script: '.js', style: '.css', mark: '.svg' }[name]),
  );
  writeFileSync(join(dist, 'page', 'index.html'), document);
};

const build = async () => {
  const stamp = stampOf();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return false;
  const esbuild = await import('esbuild');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await compileWasm();
  await bundleModules(esbuild);
  await buildPage(esbuild);
  chmodSync(join(dist, 'cli.js'), 0o755);
  run(process.execPath, ['dist/build-tables.js', 'config/rules', 'dist']);
  run(binary('tsc'), ['-p', 'config/tsconfig.types.json']);
  writeFileSync(stampFile, stamp);
  return true;
};

/** `node_modules/.bin/coldseal`, where a clone's programs are looked for; npm links only those of dependencies. */
const linkProgram = () => {
  const link = join(root, 'node_modules', '.bin', 'coldseal');
  if (existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'dist', 'cli.js'), link);
};

const built = await build();
linkProgram();
if (!process.argv.includes('--quiet')) console.log(built ? 'built dist/' : 'dist/ is up to date');

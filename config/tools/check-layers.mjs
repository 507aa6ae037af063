// Checks who imports whom. A run that inspected fewer modules than `fewestModules` fails: a layer check that looked at
// nothing passes everything (dependency-cruiser with a compiler it does not know inspects 0 modules and exits 0).
//   check-layers.mjs [--root FOLDER] [--fewest N]
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { fewestModules, layerRules } from '../layers.mjs';
import { root } from './run-program.mjs';

const option = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
};
const folder = resolve(option('--root', root));
const fewest = Number(option('--fewest', String(fewestModules)));

const result = await cruise(
  ['src', 'workers'],
  {
    baseDir: folder,
    ruleSet: layerRules,
    validate: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.as\\.ts$' },
    tsPreCompilationDeps: true,
    outputType: 'json',
  },
  {},
  { tsConfig: extractTSConfig(join(root, 'tsconfig.json')) },
);
const report = JSON.parse(result.output);
const own = report.modules.filter((module) => /^(src|workers)\//.test(module.source));
for (const breach of report.summary.violations) {
  console.error(`${breach.rule.name}: ${breach.from} -> ${breach.to}`);
}

// The environment has one reader, so that every setting has one place where it is read and can be explained.
const sourcesBelow = (at) =>
  readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? sourcesBelow(join(at, entry.name)) : [join(at, entry.name)],
  );
const readers = sourcesBelow(join(folder, 'src'))
  .filter(
    (file) =>
      file.endsWith('.ts') && /(?<!`.*)\bprocess\.env\b|\benv\b.*from 'node:process'/.test(readFileSync(file, 'utf8')),
  )
  .map((file) => relative(folder, file))
  .filter((file) => !file.startsWith('src/config/'));
for (const file of readers) console.error(`only-config-reads-the-environment: ${file}`);

const faults = report.summary.violations.length + readers.length;
if (own.length < fewest)
  console.error(`inspected ${own.length} modules, fewer than ${fewest}: the check looked at too little`);
console.log(`layers: ${own.length} modules, ${faults} breaches`);
process.exit(faults === 0 && own.length >= fewest ? 0 : 1);

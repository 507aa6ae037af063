/** Texts for the engine's figures, made without downloads: this project's dependencies, and texts full of made-up secrets. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expandExample } from '../../src/rules/expand-example.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';

const TEXT_FILE = /\.(?:[cm]?[jt]s|json|md|css|html|ya?ml|c|cc|h|py)$/;
const LARGEST_FILE_BYTES = 2 * 1024 * 1024;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() && TEXT_FILE.test(entry.name) ? [path] : [];
    });

/** The bytes in memory that threads may share, as a batch has them. */
const shared = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
};

/** Source text of the files below `folder`, every third of them, up to `limitBytes`. */
export const sourceText = (folder: string, limitBytes: number): Buffer => {
  const parts: Buffer[] = [];
  let size = 0;
  for (const path of filesBelow(folder).filter((_, index) => index % 3 === 0)) {
    if (size >= limitBytes) break;
    const bytes = readFileSync(path);
    if (bytes.length > LARGEST_FILE_BYTES) continue;
    parts.push(bytes);
    size += bytes.length;
  }
  return shared(Buffer.concat(parts).subarray(0, limitBytes));
};

/** Lines of source text between two examples; about a finding in half a kilobyte. */
const LINES_BETWEEN = 24;

/** Source text with an example of some rule every so many lines. */
export const denseText = (rulesFolder: string, source: Buffer, limitBytes: number): Buffer => {
  const examples = loadRuleSet(rulesFolder).rules.flatMap((rule) => rule.examples);
  const lines = source.toString('utf8').split('\n');
  const parts: string[] = [];
  let size = 0;
  for (let line = 0; size < limitBytes; line += 1) {
    const text =
      line % LINES_BETWEEN === 0
        ? expandExample(examples[(line / LINES_BETWEEN) % examples.length] ?? '', `line ${line}`)
        : (lines[line % lines.length] ?? '').slice(0, 200);
    parts.push(text);
    size += Buffer.byteLength(text) + 1;
  }
  return shared(Buffer.from(parts.join('\n'), 'utf8').subarray(0, limitBytes));
};

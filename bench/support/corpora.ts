/**
 * The benchmark's corpora, made without a download: many small files and few big ones out of this project's own sources
 * and dependencies, text full of made-up secrets, and the worst inputs. The same lock file gives the same bytes. Every
 * value is drawn from a seed when the corpus is made; none stands in a file of the repository.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expandExample } from '../../src/rules/expand-example.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import { type FileBounds, textFilesBelow } from './text-files.js';

const KIB = 1024;
const MIB = KIB * KIB;

export const CORPORA = ['many-small', 'few-big', 'secret-dense'] as const;
export type CorpusName = (typeof CORPORA)[number];

export interface CorpusFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const SOURCES = ['src', 'workers', 'test', 'node_modules'];
const SMALL: FileBounds = { leastBytes: 1, mostBytes: 64 * KIB };
const LARGE: FileBounds = { leastBytes: 256 * KIB, mostBytes: 16 * MIB };
/** A big file of the few: as many of the large sources as fit. */
const BIG_FILE_BYTES = 8 * MIB;
const DENSE_FILE_BYTES = 64 * KIB;
/** Lines of source text between two examples; about a finding in half a kilobyte. */
const LINES_BETWEEN = 24;
const LONGEST_LINE = 200;

/** A line that tells the copies of one file apart once the sources are used up. */
const marked = (bytes: Buffer, copy: number): Buffer =>
  copy === 0 ? bytes : Buffer.concat([Buffer.from(`// copy ${copy} of this file\n`), bytes]);

const nameOf = (path: string, copy: number): string => (copy === 0 ? path : join(`copy-${copy}`, path));

/** Small files, each as it is, until `totalBytes` are reached; then they begin again as copies. */
function* manySmall(root: string, totalBytes: number): Generator<CorpusFile> {
  const folders = SOURCES.map((folder) => join(root, folder));
  for (let copy = 0, sum = 0; sum < totalBytes; copy += 1) {
    const before = sum;
    for (const { path } of textFilesBelow(folders, SMALL)) {
      if (sum >= totalBytes) return;
      const bytes = marked(readFileSync(path), copy);
      sum += bytes.length;
      yield { name: nameOf(path.slice(root.length + 1), copy), bytes };
    }
    if (sum === before) throw new Error(`there are no small text files below ${SOURCES.join(', ')}; run npm ci`);
  }
}

/** Files of some megabytes, each of large sources one after the other. */
function* fewBig(root: string, totalBytes: number): Generator<CorpusFile> {
  const sources = [...textFilesBelow([join(root, 'node_modules')], LARGE)];
  if (sources.length === 0) throw new Error('there are no large text files below node_modules; run npm ci');
  let index = 0;
  for (let sum = 0; sum < totalBytes; ) {
    const wanted = Math.min(BIG_FILE_BYTES, totalBytes - sum);
    const parts: Buffer[] = [];
    let size = 0;
    for (; size < wanted; index += 1) {
      const source = sources[index % sources.length];
      const bytes = marked(readFileSync(source?.path ?? ''), Math.floor(index / sources.length));
      parts.push(bytes);
      size += bytes.length;
    }
    const bytes = Buffer.concat(parts).subarray(0, wanted);
    yield { name: `big-${String(Math.floor(sum / BIG_FILE_BYTES)).padStart(3, '0')}.txt`, bytes };
    sum += bytes.length;
  }
}

/** Source text with an example of some rule every so many lines; another value at each place. */
function* secretDense(root: string, totalBytes: number): Generator<CorpusFile> {
  const examples = loadRuleSet(join(root, 'config', 'rules')).rules.flatMap((rule) => rule.examples);
  const lines = linesForEver(root);
  for (let sum = 0, line = 0, file = 0; sum < totalBytes; file += 1) {
    const wanted = Math.min(DENSE_FILE_BYTES, totalBytes - sum);
    const parts: string[] = [];
    for (let size = 0; size < wanted; line += 1) {
      const example = examples[(line / LINES_BETWEEN) % examples.length];
      const text =
        line % LINES_BETWEEN === 0 ? expandExample(example ?? '', `line ${line}`) : (lines.next().value ?? '');
      parts.push(text);
      size += Buffer.byteLength(text) + 1;
    }
    const bytes = Buffer.from(parts.join('\n'), 'utf8').subarray(0, wanted);
    yield { name: `dense-${String(file).padStart(5, '0')}.txt`, bytes };
    sum += bytes.length;
  }
}

function* linesForEver(root: string): Generator<string> {
  for (;;) {
    for (const { bytes } of manySmall(root, 32 * MIB)) {
      for (const line of bytes.toString('utf8').split('\n')) yield line.slice(0, LONGEST_LINE);
    }
  }
}

/** Files of a corpus in a fixed order, `totalBytes` and at most a file more. `root` is the project's folder. */
export const corpusFiles = (name: CorpusName, root: string, totalBytes: number): Generator<CorpusFile> => {
  switch (name) {
    case 'many-small':
      return manySmall(root, totalBytes);
    case 'few-big':
      return fewBig(root, totalBytes);
    case 'secret-dense':
      return secretDense(root, totalBytes);
    default:
      return name satisfies never;
  }
};

/** A corpus as one run of bytes in memory that threads may share, exactly `totalBytes`. */
export const corpusBytes = (name: CorpusName, root: string, totalBytes: number): Buffer => {
  const bytes = Buffer.from(new SharedArrayBuffer(totalBytes));
  let at = 0;
  for (const file of corpusFiles(name, root, totalBytes)) {
    at += file.bytes.copy(bytes, at);
    if (at >= totalBytes) break;
  }
  return bytes;
};

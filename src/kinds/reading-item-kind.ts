/**
 * What an item of a reading is, judged by its path alone: its kind, whether it was read as a document, and the record it
 * is. The digest of these tables is part of the assembler's version, so two readings made by different rules say so.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.js';
import { compileGlob } from '../contract/path-glob.js';
import { READING_SCHEMA_VERSION, type ScanMark } from '../contract/reading.js';
import { VERSION } from '../contract/version.js';

/** First that meets, in this order. */
const KINDS = [
  ['.abcd/development/brief/**', 'brief-section'],
  ['.abcd/development/intents/**', 'intent-projection'],
  ['.abcd/development/specs/**', 'spec'],
  ['*test*', 'test'],
] as const;

/** Configuration by its ending. */
const CONFIG_ENDINGS = [
  '.json',
  '.jsonc',
  '.json5',
  '.yaml',
  '.yml',
  '.toml',
  '.ini',
  '.cfg',
  '.conf',
  '.config',
  '.properties',
  '.env',
  '.env.example',
  '.xml',
  '.plist',
  '.tf',
  '.tfvars',
  '.hcl',
  '.lock',
  '.mod',
  '.sum',
  '.editorconfig',
  '.gitignore',
  '.gitattributes',
  '.dockerignore',
] as const;

const DOCUMENT_ENDING = '.md';
const OTHER_KIND = 'source';

/** Travel whole without having been read as documents; configuration too. */
const UNSCANNED_ENDINGS = ['_test.go', '.go'] as const;

const RECORD = /\/((?:itd|spc|iss)-\d+)[^/]*\.md$/;

const RULES = { KINDS, CONFIG_ENDINGS, DOCUMENT_ENDING, OTHER_KIND, UNSCANNED_ENDINGS, record: RECORD.source };

/** `<version>+sha256:<digest of the rules>`. */
export const ASSEMBLER_VERSION = `${VERSION}+sha256:${createHash('sha256')
  .update(canonicalJson({ rules: RULES, schema: READING_SCHEMA_VERSION }))
  .digest('hex')}`;

const compiled = KINDS.map(([glob, kind]) => [compileGlob(glob), kind] as const);

const endsWithAny = (path: Uint8Array, endings: readonly string[]): boolean => {
  const name = Buffer.from(path).toString('latin1').toLowerCase();
  return endings.some((ending) => name.endsWith(ending));
};

export const itemKind = (path: Uint8Array): string => {
  const found = compiled.find(([meets]) => meets(path));
  if (found !== undefined) return found[1];
  if (endsWithAny(path, CONFIG_ENDINGS)) return 'config';
  return endsWithAny(path, [DOCUMENT_ENDING]) ? 'doc' : OTHER_KIND;
};

export const scanMark = (path: Uint8Array): ScanMark =>
  endsWithAny(path, UNSCANNED_ENDINGS) || endsWithAny(path, CONFIG_ENDINGS) ? 'unscanned' : 'parsed';

/** The id of the record that a file is, `null` for any other file. */
export const recordIdOf = (path: Uint8Array): string | null => {
  const name = Buffer.from(path).toString('latin1');
  return name.startsWith('.abcd/') ? (RECORD.exec(name)?.[1] ?? null) : null;
};

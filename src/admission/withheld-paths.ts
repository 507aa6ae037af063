/**
 * Which files are left out whole by their path (product.md section 5). The compiled names are met in any letter case,
 * because `.ENV` on a case-blind disk is the same secret; the owner's globs as they are written.
 *
 * Only an owner's list can admit a compiled name again, and only as `path:` with the file's whole path: a glob never
 * does, so `path:config/**` cannot let a key out by accident. The owner's own globs are never lifted.
 */
import type { ListEntry } from '../contract/item.js';
import { compileGlob, type PathMatch } from '../contract/path-glob.js';

/** Matched like an owner's glob: base name, or anchored at the root. */
const COMPILED_WITHHELD = [
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '*.tfstate*',
  'kubeconfig',
  'kubeconfig.yaml',
  'kubeconfig.yml',
  'kubeconfig.json',
  '*.kubeconfig',
  '**/.kube/config',
  'credentials*.json',
  '**/.abcd.noindex/**',
] as const;

/** `.env*` is withheld too, but for the example that is made to be read. */
const ENVIRONMENT_FILES = '.env*';
const ENVIRONMENT_EXAMPLE = '.env.example';

/** The compiled names as globs; the one exception to the first is `WITHHELD_EXCEPTION`. */
export const WITHHELD_BY_NAME: readonly string[] = [ENVIRONMENT_FILES, ...COMPILED_WITHHELD];
export const WITHHELD_EXCEPTION = ENVIRONMENT_EXAMPLE;

export interface WithheldRules {
  /** The owner's globs in force. */
  readonly withhold: readonly string[];
  /** The list in force; its `path:` entries without a glob character admit that very path. */
  readonly list: readonly ListEntry[];
}

/** True for a path, as the bytes git stores, that is withheld. */
export function compileWithheld({ withhold, list }: WithheldRules): PathMatch {
  const compiled = COMPILED_WITHHELD.map((glob) => compileGlob(glob, { anyCase: true }));
  const isEnvironmentFile = compileGlob(ENVIRONMENT_FILES, { anyCase: true });
  const isExample = compileGlob(ENVIRONMENT_EXAMPLE, { anyCase: true });
  const owners = withhold.map((glob) => compileGlob(glob));
  const admitted = new Set(list.flatMap(exactName).map((name) => bytesKey(new TextEncoder().encode(name))));
  return (path) => {
    if (owners.some((matches) => matches(path))) return true;
    const byName = compiled.some((matches) => matches(path)) || (isEnvironmentFile(path) && !isExample(path));
    return byName && !admitted.has(bytesKey(path));
  };
}

function exactName(entry: ListEntry): readonly string[] {
  return entry.kind === 'path' && !/[*?]/.test(entry.glob) ? [entry.glob] : [];
}

/** Bytes as one unit each, so that equal keys are equal bytes. */
function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

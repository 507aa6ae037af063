/**
 * The PATHs of `pack` as items, read from HEAD: a file is itself, a folder every tracked file below it, a glob what it
 * matches. What is withheld stays withheld, also under another name.
 */
import { isAbsolute, relative, resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import type { PreparedItem } from '../contract/item.js';
import { compileGlob, type PathMatch } from '../contract/path-glob.js';
import { printable } from '../contract/printable.js';
import type { Repository, TreeEntry } from '../contract/repository.js';

export interface PackedPaths {
  /** In the order of the PATHs, each file once. */
  readonly items: readonly PreparedItem[];
  readonly isWithheld: PathMatch;
}

const SUBMODULE = '160000';

const missing = (path: string, why: string): ColdsealError =>
  new ColdsealError('INPUT_MISSING', `${printable(path)} ${why}; \`git ls-files\` lists what is tracked`, {
    facts: { input: 'path' },
  });

/** From the root of the repository; `''` is all of it. */
const insideOf = (repository: Repository, folder: string, path: string): string => {
  const root = repository.workTree;
  if (root === null) return path.replace(/\/+$/, '');
  const inside = relative(root, resolve(folder, path));
  if (inside === '..' || inside.startsWith('../') || isAbsolute(inside)) {
    throw missing(path, 'is outside the repository');
  }
  return inside;
};

const isBelow = (folder: Buffer, path: Uint8Array): boolean =>
  folder.length === 0 ||
  (Buffer.from(path.buffer, path.byteOffset, Math.min(path.byteLength, folder.length)).equals(folder) &&
    (path.length === folder.length || path[folder.length] === 0x2f));

const matcherOf = (inside: string): PathMatch => {
  if (/[*?]/.test(inside)) return compileGlob(inside);
  const named = Buffer.from(inside);
  return (path) => isBelow(named, path);
};

/** A submodule is no file here: its pointer travels, in git's words. */
const itemOf = ({ path, mode, objectId }: TreeEntry): PreparedItem => {
  if (mode !== SUBMODULE) return { path, label: null, origin: { kind: 'blob', objectId, mode }, rawBytes: null };
  const bytes = Buffer.from(`Subproject commit ${objectId}\n`);
  return { path, label: null, origin: { kind: 'text', bytes }, rawBytes: bytes.length };
};

const keyOf = (path: Uint8Array): string => Buffer.from(path).toString('latin1');

/** `INPUT_MISSING` for a PATH that names no tracked file of HEAD. `isWithheld` judges by the path alone. */
export const packedPaths = async (
  repository: Repository,
  folder: string,
  paths: readonly string[],
  isWithheld: PathMatch,
): Promise<PackedPaths> => {
  const head = await repository.head();
  if (head === null) throw missing(paths[0] ?? '.', 'cannot be read: the repository has no commit yet');
  const tree = await repository.listTree(head);
  const chosen = new Map<string, TreeEntry>();
  for (const path of paths) {
    const matches = matcherOf(insideOf(repository, folder, path));
    const found = tree.filter((entry) => matches(entry.path));
    if (found.length === 0) throw missing(path, 'names no tracked file of HEAD');
    for (const entry of found) chosen.set(keyOf(entry.path), entry);
  }
  const emptyFile = await emptyFileOf(repository, tree);
  const hidden = new Set(tree.filter(({ path }) => isWithheld(path)).map(({ objectId }) => objectId));
  const copies = new Set(
    tree.filter(({ objectId }) => hidden.has(objectId) && objectId !== emptyFile).map(({ path }) => keyOf(path)),
  );
  return {
    items: [...chosen.values()].map(itemOf),
    isWithheld: (path) => isWithheld(path) || copies.has(keyOf(path)),
  };
};

/** The empty file has nothing to hide and would take every other empty file with it. */
const emptyFileOf = async (repository: Repository, tree: readonly TreeEntry[]): Promise<string | null> => {
  const ids = [...new Set(tree.filter(({ mode }) => mode !== SUBMODULE).map(({ objectId }) => objectId))];
  const sizes = await repository.blobSizes(ids);
  return ids[sizes.indexOf(0)] ?? null;
};

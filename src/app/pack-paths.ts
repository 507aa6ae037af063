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
import { gatherHidden, judgeWithheld } from '../plan/withheld-blobs.js';

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

/**
 * `INPUT_MISSING` for a PATH that names no tracked file of HEAD. `isWithheld` judges by the path alone; `count` is told of
 * each file while the tree is read, and what it throws ends that.
 */
export const packedPaths = async (
  repository: Repository,
  folder: string,
  paths: readonly string[],
  isWithheld: PathMatch,
  count: () => void,
): Promise<PackedPaths> => {
  const head = await repository.head();
  if (head === null) throw missing(paths[0] ?? '.', 'cannot be read: the repository has no commit yet');
  const asked = paths.map((path) => ({ path, matches: matcherOf(insideOf(repository, folder, path)) }));
  const hidden = gatherHidden(isWithheld);
  const tree = await repository.listTree(head, (entry) => {
    hidden.take(entry);
    if (!asked.some(({ matches }) => matches(entry.path))) return false;
    count();
    return true;
  });
  const chosen = new Map<string, TreeEntry>();
  for (const { path, matches } of asked) {
    const found = tree.filter((entry) => matches(entry.path));
    if (found.length === 0) throw missing(path, 'names no tracked file of HEAD');
    for (const entry of found) chosen.set(keyOf(entry.path), entry);
  }
  const judge = judgeWithheld({ format: repository.objectFormat, isWithheld, changes: [], hidden: hidden.ids });
  const copies = new Set(
    tree.filter(({ path, objectId }) => judge.isWithheld(path, [objectId])).map(({ path }) => keyOf(path)),
  );
  return {
    items: [...chosen.values()].map(itemOf),
    isWithheld: (path) => isWithheld(path) || copies.has(keyOf(path)),
  };
};

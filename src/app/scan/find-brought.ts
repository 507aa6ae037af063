/** From `--staged`, `--range` and `--commit` to the objects they mean, in bytewise path order, oldest commit first. */
import { relative, resolve } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import type { BroughtFile, Repository } from '../../contract/repository.js';
import type { BroughtObject } from './read-brought.js';

export type ObjectsAsked =
  | { readonly kind: 'staged' }
  | { readonly kind: 'range'; readonly typed: string }
  | { readonly kind: 'commit'; readonly typed: string };

const noCommit = (name: string): ColdsealError =>
  new ColdsealError('NO_RANGE', `${printable(name)} names no commit of this repository; \`git log\` lists them`);

const commitOf = async (repository: Repository, name: string): Promise<string> => {
  const commit = await repository.resolveCommit(name);
  if (commit === null) throw noCommit(name);
  return commit;
};

const ends = (typed: string): readonly [string, string] => {
  const at = typed.indexOf('..');
  const [from, to] = [typed.slice(0, at), typed.slice(at + 2)];
  if (at < 0 || to.startsWith('.') || to.includes('..') || (from === '' && to === '')) {
    throw new ColdsealError('USAGE', `"${printable(typed)}" is no range; write \`A..B\` for the commits of B beyond A`);
  }
  return [from === '' ? 'HEAD' : from, to === '' ? 'HEAD' : to];
};

const commitsOf = async (
  repository: Repository,
  asked: Exclude<ObjectsAsked, { kind: 'staged' }>,
): Promise<readonly string[]> => {
  if (asked.kind === 'commit') return [await commitOf(repository, asked.typed)];
  const [from, to] = ends(asked.typed);
  const base = await commitOf(repository, from);
  const commits = await repository.listCommits(base, await commitOf(repository, to));
  if (commits.length > 0) return commits;
  throw new ColdsealError('NO_RANGE', `${printable(to)} has no commit beyond ${printable(from)}`);
};

/** A PATH as it stands in the repository; the root itself is `''`. */
const pathIn = (repository: Repository, folder: string, path: string): string => {
  const root = repository.workTree;
  if (root === null) return path.replace(/\/+$/, '');
  const inside = relative(root, resolve(folder, path));
  if (inside === '..' || inside.startsWith('../')) {
    throw new ColdsealError('USAGE', `${printable(path)} is outside the repository, so no commit holds it`);
  }
  return inside;
};

const pathFilter = (paths: readonly string[]): ((path: Uint8Array) => boolean) => {
  if (paths.length === 0 || paths.includes('')) return () => true;
  const named = paths.map((path) => Buffer.from(path));
  return (path) =>
    named.some((one) => {
      const start = Buffer.from(path.buffer, path.byteOffset, Math.min(path.byteLength, one.length));
      return start.equals(one) && (path.length === one.length || path[one.length] === 0x2f);
    });
};

const objectsOf = (files: readonly BroughtFile[], commit: string | null): readonly BroughtObject[] =>
  files.map(({ path, mode, objectId, before }) => ({ path, mode, objectId, brought: { commit, before } }));

/** Each object of a path once, under the first commit that brings it. `NO_RANGE`, `USAGE`. */
export const findBrought = async (
  repository: Repository,
  folder: string,
  asked: ObjectsAsked,
  paths: readonly string[],
): Promise<readonly BroughtObject[]> => {
  const isMeant = pathFilter(paths.map((path) => pathIn(repository, folder, path)));
  const all =
    asked.kind === 'staged'
      ? objectsOf(await repository.stagedFiles(), null)
      : (await repository.commitFiles(await commitsOf(repository, asked))).flatMap(({ commit, files }) =>
          objectsOf(files, commit),
        );
  const seen = new Set<string>();
  const once = all.filter(({ path, objectId }) => {
    const key = `${objectId} ${Buffer.from(path).toString('latin1')}`;
    if (!isMeant(path) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  // Stable: commits of one path stay oldest first.
  return once.sort((a, b) => Buffer.compare(a.path, b.path));
};

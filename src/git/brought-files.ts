/**
 * What commits bring, and what the index holds beyond HEAD: files that are the same in no parent, each with what stood at
 * its path before. One git child for any number of commits.
 */
import { ColdsealError } from '../contract/error.js';
import type { BroughtFile, CommitFiles } from '../contract/repository.js';
import type { GitCalls } from './git-calls.js';

const LISTING_BYTES = 256 * 1024 * 1024;
const NUL = 0;
const NO_OBJECT = /^0+$/;
const RAW = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--ignore-submodules=none'] as const;

const unexpected = (verb: string): ColdsealError =>
  new ColdsealError('GIT_FAILED', `git ${verb} printed a row that cannot be read; its version is not known here.`);

/** `:<modes> <ids> <status>` with one colon, mode, id and letter a parent, and one mode and id more for the file itself. */
const parseRow = (row: string, path: Uint8Array, verb: string): BroughtFile | null => {
  const parents = /^:+/.exec(row)?.[0].length ?? 0;
  const words = row.slice(parents).split(' ');
  const mode = words[parents];
  const ids = words.slice(parents + 1, -1);
  const objectId = ids[parents];
  if (parents === 0 || mode === undefined || objectId === undefined || ids.length !== parents + 1)
    throw unexpected(verb);
  if (NO_OBJECT.test(objectId)) return null;
  return { path, mode, objectId, before: ids.slice(0, parents).filter((id) => !NO_OBJECT.test(id)) };
};

/** Rows under the commit that was named before them; those of the index stand under `''`. */
const parseRows = (output: Buffer, verb: string): readonly CommitFiles[] => {
  const commits: { commit: string; files: BroughtFile[] }[] = [];
  let at = 0;
  const field = (): Buffer => {
    const end = output.indexOf(NUL, at);
    if (end < 0) throw unexpected(verb);
    const bytes = output.subarray(at, end);
    at = end + 1;
    return bytes;
  };
  while (at < output.length) {
    const row = field().toString('latin1');
    if (!row.startsWith(':')) {
      commits.push({ commit: row, files: [] });
      continue;
    }
    const file = parseRow(row, field(), verb);
    if (file === null) continue;
    if (commits.length === 0) commits.push({ commit: '', files: [] });
    commits.at(-1)?.files.push(file);
  }
  return commits;
};

/** In the commits' order; a commit that brings nothing has no row. `before` are switches for a shallow boundary. */
export const readCommitFiles = async (
  calls: GitCalls,
  before: readonly string[],
  commits: readonly string[],
): Promise<readonly CommitFiles[]> => {
  if (commits.length === 0) return [];
  const { stdout } = await calls.run('objects', 'diff-tree', ['--stdin', '--root', '-c', ...RAW], {
    before,
    input: `${commits.join('\n')}\n`,
    outputBytes: LISTING_BYTES,
  });
  return parseRows(stdout, 'diff-tree');
};

/** Read in the repository itself, which has the index; conflicts that are not resolved are not staged. */
export const readStagedFiles = async (calls: GitCalls, tree: string): Promise<readonly BroughtFile[]> => {
  const { stdout } = await calls.run('names', 'diff-index', ['--cached', '--diff-filter=AMT', ...RAW, tree, '--'], {
    outputBytes: LISTING_BYTES,
  });
  return parseRows(stdout, 'diff-index').flatMap(({ files }) => files);
};

/** The files of a work tree as git counts them: tracked, and untracked but not ignored. Names alone, nothing is read. */
import type { GitCalls } from './git-calls.js';

const LISTING_BYTES = 256 * 1024 * 1024;

/** Bytewise order, each once. A nested repository stands as its folder's name with a `/` at its end. */
export const readWorkTreePaths = async (
  calls: GitCalls,
  workTree: string,
  below: readonly string[],
): Promise<readonly Uint8Array[]> => {
  const args = ['-z', '--cached', '--others', '--exclude-standard', '--full-name', '--', ...below];
  const { stdout } = await calls.run('names', 'ls-files', args, {
    outputBytes: LISTING_BYTES,
    before: ['-c', 'core.untrackedCache=false', '-C', workTree],
  });
  const paths: Buffer[] = [];
  for (let start = 0; start < stdout.length; ) {
    const end = stdout.indexOf(0, start);
    const stop = end < 0 ? stdout.length : end;
    paths.push(stdout.subarray(start, stop));
    start = stop + 1;
  }
  paths.sort(Buffer.compare);
  // A conflict lists one path for each of its sides.
  return paths.filter((path, index) => index === 0 || !path.equals(paths[index - 1] ?? path));
};

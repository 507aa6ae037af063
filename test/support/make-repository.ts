/**
 * Real repositories in temporary folders, made with the git program. Author, dates and branch are fixed, so object names
 * are the same on every machine; the person's own git settings are not seen.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface MadeRepository {
  /** Root of the work tree, or the git folder of a bare one. Real path. */
  readonly folder: string;
  /** Runs git there; stdout without its last newline. `input` goes to stdin. */
  git(args: readonly string[], input?: string | Uint8Array): string;
  /** Writes a file, its folders too. Paths may be bytes. Stages nothing. */
  write(path: string | Uint8Array, content: string | Uint8Array): void;
  link(path: string, target: string): void;
  makeExecutable(path: string): void;
  remove(path: string): void;
  /** Writes the files, stages everything, commits; the new commit's id. */
  commit(message: string, files?: Readonly<Record<string, string | Uint8Array>>): string;
  /** Removes the folder. */
  close(): void;
}

export interface MakeOptions {
  readonly objectFormat?: 'sha1' | 'sha256';
  readonly bare?: boolean;
  readonly branch?: string;
}

const FIXED = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2024-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_COMMITTER_DATE: '2024-01-02T03:04:05Z',
  LC_ALL: 'C',
} as const;

/** The environment for git in tests: the fixed one over PATH and HOME. */
export const gitTestEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  ...FIXED,
});

/** Runs git in a folder; for clones and work trees that are no repository of ours. */
export const runTestGit = (folder: string, args: readonly string[], input?: string | Uint8Array): string =>
  execFileSync('git', args, {
    cwd: folder,
    env: gitTestEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  })
    .toString('utf8')
    .replace(/\n$/, '');

const joinBytes = (folder: string, path: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), typeof path === 'string' ? Buffer.from(path) : path]);

const makeParents = (file: Buffer): void => {
  const slash = file.lastIndexOf('/');
  mkdirSync(file.subarray(0, slash), { recursive: true });
};

/** A folder under the system's temporary one; removed by the caller. */
export const makeTestFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'coldseal-test-')));

/** Wraps a folder that git already knows, such as a clone. `close` removes it. */
export const wrapRepository = (folder: string): MadeRepository => {
  const git = (args: readonly string[], input?: string | Uint8Array) => runTestGit(folder, args, input);
  const write = (path: string | Uint8Array, content: string | Uint8Array) => {
    const file = joinBytes(folder, path);
    makeParents(file);
    writeFileSync(file, content);
  };
  return {
    folder,
    git,
    write,
    link: (path, target) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(target, join(folder, path));
    },
    makeExecutable: (path) => chmodSync(join(folder, path), 0o755),
    remove: (path) => rmSync(join(folder, path), { recursive: true }),
    commit: (message, files = {}) => {
      for (const [path, content] of Object.entries(files)) write(path, content);
      git(['add', '-A']);
      git(['commit', '--quiet', '--allow-empty', '-m', message]);
      return git(['rev-parse', 'HEAD']);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};

export const makeRepository = (options: MakeOptions = {}): MadeRepository => {
  const { objectFormat = 'sha1', bare = false, branch = 'main' } = options;
  const folder = makeTestFolder();
  const kind = bare ? ['--bare'] : [];
  runTestGit(folder, ['init', '--quiet', `--object-format=${objectFormat}`, `--initial-branch=${branch}`, ...kind]);
  return wrapRepository(folder);
};

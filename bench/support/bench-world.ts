/**
 * A repository made of a corpus and an owner's home for it, in temporary folders: what a run from git objects needs. The
 * provider is remote by its name and never reached.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gatherSurroundings, type Surroundings } from '../../src/app/surroundings.js';
import type { CorpusFile } from './corpora.js';

export interface BenchWorld {
  readonly folder: string;
  readonly home: string;
  /** Of a run in the repository with the built files of the project. */
  surroundings(root: string): Surroundings;
  /** Writes the files and commits them; the new commit's id. */
  commit(files: Iterable<CorpusFile>): string;
  /** Packs all objects, as a clone has them; until then each is a file of its own, as after a commit. */
  pack(): void;
  close(): void;
}

const WHO = {
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2024-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_COMMITTER_DATE: '2024-01-02T03:04:05Z',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
} as const;

const MACHINE_FILE = {
  oracle: {
    api: { acme: { base_url: 'https://api.acme.example/v1', models: ['made/model'] } },
    roles: { 'change-reviewer': 'acme/made/model' },
    bundled_context_providers: ['acme'],
    bundles: { cap: '256 MiB' },
  },
};

export const writeFiles = (folder: string, files: Iterable<CorpusFile>): number => {
  let bytes = 0;
  for (const file of files) {
    const path = join(folder, file.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.bytes);
    bytes += file.bytes.length;
  }
  return bytes;
};

export const openBenchWorld = (): BenchWorld => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'coldseal-bench-')));
  const [folder, home] = [join(base, 'repository'), join(base, 'home')];
  mkdirSync(folder);
  mkdirSync(join(home, '.abcd.noindex'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, '.abcd.noindex', 'config.json'), JSON.stringify(MACHINE_FILE), { mode: 0o600 });
  const git = (...words: string[]): string =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, ...WHO },
      maxBuffer: 64 * 1024 * 1024,
    }).trim();
  git('init', '-q', '-b', 'main');
  return {
    folder,
    home,
    surroundings: (root) => {
      const gathered = gatherSurroundings({ folder, say: () => undefined, signal: new AbortController().signal });
      const environment = { ...gathered.environment, HOME: home };
      const builtFolder = join(root, 'dist');
      return { ...gathered, environment, homeFolder: home, builtFolder, configFolder: join(root, 'config') };
    },
    commit: (files) => {
      writeFiles(folder, files);
      git('add', '-A', '-f');
      git('commit', '-q', '--no-gpg-sign', '-m', 'A corpus');
      return git('rev-parse', 'HEAD');
    },
    pack: () => void git('repack', '-a', '-d', '-q'),
    close: () => rmSync(base, { recursive: true, force: true }),
  };
};

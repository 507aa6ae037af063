/** Raw runs: machine, versions, command and every round of a benchmark, as one JSON file in `bench/runs`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/contract/version.js';

export interface MachineFacts {
  readonly processor: string;
  readonly cores: number;
  readonly memory_mib: number;
  readonly system: string;
}

const machineFacts = (): MachineFacts => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memory_mib: Math.round(totalmem() / 1024 / 1024),
  system: `${type()} ${release()}`,
});

/** First line of what a program says to `words`; `null` where it is not on the PATH. */
export const versionOf = (program: string, words: readonly string[] = ['--version']): string | null => {
  try {
    return (
      execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')[0] ?? null
    );
  } catch {
    return null;
  }
};

const commitOf = (root: string): string | null => versionOf('git', ['-C', root, 'rev-parse', 'HEAD']);

const packageVersion = (root: string, name: string): string | null => {
  try {
    const file = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(file) as { version: string }).version;
  } catch {
    return null;
  }
};

/** @returns the path of the file, from the project's folder */
export const writeRun = (root: string, name: string, words: readonly string[], body: object): string => {
  const at = new Date().toISOString();
  const file = join('bench', 'runs', `${at.slice(0, 19).replaceAll(':', '')}-${name.replaceAll('/', '-')}.json`);
  mkdirSync(join(root, 'bench', 'runs'), { recursive: true });
  const run = {
    benchmark: name,
    at,
    command: ['npm run bench --', name, ...words].join(' '),
    coldseal: VERSION,
    commit: commitOf(root),
    machine: machineFacts(),
    versions: { node: process.version, v8: process.versions.v8, re2: packageVersion(root, 're2') },
    ...body,
  };
  writeFileSync(join(root, file), `${JSON.stringify(run, null, 1)}\n`);
  return file;
};

/** The program's own ground: Node, git, the scanner with its self-test, threads and the terminal. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { OwnSettings } from '../../contract/settings.js';
import { openThreads } from '../open-scanner.js';
import { shippedRules } from '../rule-facts.js';
import { ownersRules } from '../scan-profile.js';
import type { Surroundings } from '../surroundings.js';
import { type Check, fail, ok, refused, warn } from './check.js';

const LEAST_NODE = [20, 19] as const;
/** What the tests run with; older ones lack switches that reads rely on. */
const LEAST_GIT = [2, 39] as const;

const isAtLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ofMajor = 0, ofMinor = 0] = version.split('.').map(Number);
  return ofMajor > major || (ofMajor === major && ofMinor >= minor);
};

export const checkNode = (version: string): Check =>
  isAtLeast(version, LEAST_NODE)
    ? ok('node', version)
    : fail('node', version, `Install Node ${LEAST_NODE.join('.')} or newer.`);

const runFile = promisify(execFile);

export const checkGit = async ({ environment: { PATH } }: Pick<Surroundings, 'environment'>): Promise<Check> => {
  try {
    const env = { ...(PATH === undefined ? {} : { PATH }), LC_ALL: 'C' };
    const { stdout } = await runFile('git', ['--version'], { env, timeout: 10_000 });
    return judgeGit(/\d+\.\d+[\w.-]*/.exec(stdout)?.[0] ?? 'unknown');
  } catch {
    return fail('git', 'cannot be started', 'Install git and put it on PATH.');
  }
};

export const judgeGit = (version: string): Check =>
  isAtLeast(version, LEAST_GIT)
    ? ok('git', version)
    : warn('git', version, `Nobody tests with git older than ${LEAST_GIT.join('.')}; update it.`);

/** Starts one thread: it compiles the rules, runs the WebAssembly and finds its own probes, or the check fails. */
export const checkScanner = async (surroundings: Surroundings): Promise<Check> => {
  try {
    const scanner = await openThreads(surroundings.builtFolder, 1);
    await scanner.close();
    const { rules } = shippedRules(surroundings);
    return ok('scanner', `RE2, WebAssembly and self-test hold; rules ${rules.length}, ${scanner.rulesDigest}`);
  } catch (error) {
    return refused('scanner', error, 'Build or install it again; `coldseal rules check` tests every rule.');
  }
};

export const checkOwnersRules = async (own: OwnSettings): Promise<Check> => {
  try {
    const { rules, notes } = await ownersRules(own);
    if (notes.length === 0) return ok('own rules', rules.length === 0 ? 'none' : `${rules.length} load`);
    return warn('own rules', `${rules.length} load; ${notes.join(' ')}`, 'Look whether you need what was left out.');
  } catch (error) {
    return refused('own rules', error, 'Correct the file or the pattern; no run goes on without it.');
  }
};

export const checkThreads = ({ threads }: Pick<OwnSettings, 'threads'>, cores: number): Check =>
  threads <= cores
    ? ok('threads', `${threads} on ${cores} cores`)
    : warn(
        'threads',
        `${threads} on ${cores} cores`,
        'More threads than cores only cost memory: lower coldseal.threads.',
      );

export interface TerminalFacts {
  readonly isTty: boolean;
  readonly colour: boolean;
  readonly columns: number;
}

export const checkTerminal = ({ isTty, colour, columns }: TerminalFacts): Check =>
  ok('terminal', isTty ? `${columns} columns, ${colour ? 'colour' : 'no colour'}` : 'none on stderr: no progress line');

/**
 * A person's benchmark: repositories one after the other through the pipeline. A repository that refuses is a row that
 * says so, and the others are still measured.
 */
import { cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { isRefusal } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { VERSION } from '../../contract/version.js';
import { withPlace } from '../open-place.js';
import { openScanner } from '../open-scanner.js';
import type { Surroundings } from '../surroundings.js';
import { tellNotices } from '../tell-notices.js';
import type { BenchDocument, MeasuredRepository, RefusedRepository } from './bench-document.js';
import { busyScanner } from './busy-scanner.js';
import { compareRuns, type EarlierRun } from './earlier-run.js';
import { measureRepository } from './measure-repository.js';

export interface BenchWords {
  /** Folders as typed; the folder of the run when there is none. */
  readonly repositories: readonly string[];
  readonly rounds: number;
  /** `null`: as the machine file says. */
  readonly threads: number | null;
  readonly earlier: EarlierRun | null;
}

interface Benched {
  readonly row: MeasuredRepository | RefusedRepository;
  readonly rules: string;
  readonly threads: number;
}

/** Rejects with a configuration refusal, `NOT_A_REPOSITORY`, a degraded scanner or the signal's reason. */
export const runBench = async (caller: Surroundings, words: BenchWords): Promise<BenchDocument> => {
  const surroundings = { ...caller, say: eachOnce(caller.say) };
  const names = words.repositories.length === 0 ? ['.'] : words.repositories;
  const benched: Benched[] = [];
  for (const name of names) benched.push(await benchOne(surroundings, words, name));
  const repositories = benched.map(({ row }) => row);
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: surroundings.cores,
    memory_bytes: totalmem(),
    node: process.version,
  };
  return {
    outcome: repositories.every(({ outcome }) => outcome === 'measured') ? 'measured' : 'refused',
    coldseal: VERSION,
    at: surroundings.now().toISOString(),
    rules: benched[0]?.rules ?? '',
    machine,
    threads: benched[0]?.threads ?? 0,
    repositories,
    ...(words.earlier === null ? {} : { compared: compareRuns(machine, repositories, words.earlier) }),
  };
};

/** What holds for all repositories is said with the first. */
const eachOnce = (say: Surroundings['say']): Surroundings['say'] => {
  const said = new Set<string>();
  return (line) => {
    if (!said.has(line)) say(line);
    said.add(line);
  };
};

const benchOne = (surroundings: Surroundings, words: BenchWords, name: string): Promise<Benched> => {
  const here = { ...surroundings, folder: resolve(surroundings.folder, name) };
  return withPlace(here, async (place) => {
    tellNotices(surroundings, place.settings.notices);
    const threads = words.threads ?? place.settings.own.threads;
    const scanner = busyScanner(await openScanner(here, threads, 'all'));
    try {
      const bench = { surroundings: here, place, scanner, name, rounds: words.rounds };
      return { row: await rowOf(name, () => measureRepository(bench)), rules: scanner.rulesDigest, threads };
    } finally {
      await scanner.close();
    }
  });
};

const rowOf = async (
  name: string,
  measure: () => Promise<MeasuredRepository>,
): Promise<MeasuredRepository | RefusedRepository> => {
  try {
    return await measure();
  } catch (error) {
    if (!(error instanceof ColdsealError) || !isRefusal(error.code)) throw error;
    return { outcome: 'refused', name, code: error.code, message: error.message };
  }
};

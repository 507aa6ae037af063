/**
 * Git as the rest of this folder calls it: in the repository for names, in the private folder for objects, each with its
 * environment and the limits that hold for all.
 */
import {
  type Environment,
  identityEnvironment,
  namesEnvironment,
  objectsEnvironment,
  type RepositoryPlace,
  SAFE_SWITCHES,
} from './environment.js';
import { GitChild } from './git-child.js';
import { followGit, type GitOutput, type GitRun, runGit } from './run-git.js';

/** Where a call runs: `names` and `identity` in the repository itself, `objects` in the private folder. */
export type CallPlace = 'names' | 'identity' | 'objects';

export interface CallOptions {
  readonly input?: string;
  readonly outputBytes?: number;
  readonly alsoFine?: readonly number[];
  /** Switches before the verb. */
  readonly before?: readonly string[];
}

export interface CallSettings {
  readonly environment: Environment;
  readonly place: RepositoryPlace;
  readonly privateFolder: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Enough for every answer that is a few names. */
const SHORT_ANSWER_BYTES = 1024 * 1024;

export class GitCalls {
  readonly #settings: CallSettings;

  constructor(settings: CallSettings) {
    this.#settings = settings;
  }

  /** Runs to the end. `GIT_FAILED` or `ITEM_UNREADABLE` for any other end than 0 and those named as fine. */
  run(place: CallPlace, verb: string, args: readonly string[], options: CallOptions = {}): Promise<GitOutput> {
    return runGit(this.#run(place, verb, args, options));
  }

  /** As `run`, each chunk handed on as it comes and none kept; what `take` throws ends the child. */
  async follow(
    place: CallPlace,
    verb: string,
    args: readonly string[],
    options: CallOptions,
    take: (chunk: Buffer) => void,
  ): Promise<void> {
    await followGit(this.#run(place, verb, args, options), take);
  }

  /** A child to read from while it runs; the caller closes it. */
  start(verb: string, args: readonly string[], signals: readonly AbortSignal[]): GitChild {
    return new GitChild(this.#command('objects', verb, args, []), verb, [this.#settings.signal, ...signals]);
  }

  #run(place: CallPlace, verb: string, args: readonly string[], options: CallOptions): GitRun {
    return {
      ...this.#command(place, verb, args, options.before ?? []),
      verb,
      signals: [this.#settings.signal],
      input: options.input ?? null,
      outputBytes: options.outputBytes ?? SHORT_ANSWER_BYTES,
      alsoFine: options.alsoFine ?? [],
    };
  }

  #command(place: CallPlace, verb: string, args: readonly string[], before: readonly string[]) {
    const { privateFolder, deadlineMs } = this.#settings;
    return {
      args: [...SAFE_SWITCHES, ...before, verb, ...args],
      environment: this.#environment(place),
      folder: privateFolder,
      deadlineMs,
    };
  }

  #environment(place: CallPlace): Record<string, string> {
    const { environment, place: repository, privateFolder } = this.#settings;
    switch (place) {
      case 'names':
        return namesEnvironment(environment, repository);
      case 'identity':
        return identityEnvironment(environment, repository);
      case 'objects':
        return objectsEnvironment(environment, privateFolder, repository.objects);
      default:
        return place satisfies never;
    }
  }
}

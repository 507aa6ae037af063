/** What every verb gets: the global flags as typed, the streams, and the surroundings of the run. */
import type { Surroundings } from '../app/surroundings.js';
import type { Terminal } from './terminal.js';

export interface GlobalFlags {
  /** `-C DIR`, the working directory when not given. */
  readonly folder: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly progress: boolean;
}

export interface VerbContext {
  readonly flags: GlobalFlags;
  readonly terminal: Terminal;
  readonly surroundings: Surroundings;
}

/** A verb's own words: arguments in order, a repeatable one spread, and its options by name. */
export interface VerbWords {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A verb's action: does the work, writes data to the terminal and answers the exit code. */
export type VerbAction = (context: VerbContext, words: VerbWords) => Promise<number>;

/** An option that takes one value, or `null` when it was not typed. */
export const textOption = (words: VerbWords, name: string): string | null => {
  const typed = words.options[name];
  return typeof typed === 'string' ? typed : null;
};

/** An option that may be repeated. */
export const listOption = (words: VerbWords, name: string): readonly string[] => {
  const typed = words.options[name];
  return Array.isArray(typed) ? typed.filter((one): one is string => typeof one === 'string') : [];
};

export const flagOption = (words: VerbWords, name: string): boolean => words.options[name] === true;

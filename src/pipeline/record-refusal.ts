/**
 * One row for every refusal that has passed configuration. A fault of the settings or the command line writes none: it
 * says nothing about a bundle, and anybody's typing mistake would fill the record.
 */
import { type Code, isRefusal } from '../contract/codes.js';
import type { ColdsealError, ErrorFacts } from '../contract/error.js';
import type { RecordedRoute, RecordStore } from '../contract/record.js';

const UNRECORDED: ReadonlySet<Code> = new Set([
  'CONFIG_INVALID',
  'CONFIG_UNSAFE',
  'REPO_DECLARES_PROVIDER',
  'USAGE',
  'NOT_A_REPOSITORY',
]);

export interface Refused {
  readonly id: string;
  readonly verb: string;
  readonly error: ColdsealError;
  readonly route: RecordedRoute | null;
  readonly kind: string | null;
  readonly project: string | null;
}

/**
 * True when the row is on disk. The refusal stands whether or not it can be recorded, so a store that fails is said in
 * one line and does not take the refusal's place.
 */
export const recordRefusal = async (
  records: RecordStore,
  { id, verb, error, route, kind, project }: Refused,
  say: (line: string) => void,
): Promise<boolean> => {
  if (!isRefusal(error.code) || UNRECORDED.has(error.code)) return false;
  try {
    const facts = knownFacts(error.facts);
    await records.append(id, { event: 'refused', verb, code: error.code, facts, route, kind, project });
    return true;
  } catch (failure) {
    say(`coldseal: the refusal could not be recorded: ${failure instanceof Error ? failure.message : 'unknown fault'}`);
    return false;
  }
};

const knownFacts = (facts: ErrorFacts): Readonly<Record<string, string | number | boolean | null>> =>
  Object.fromEntries(Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [[name, fact]])));

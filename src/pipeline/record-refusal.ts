/**
 * One row for every refusal that has passed configuration. A fault of the settings or the command line writes none: it
 * says nothing about a bundle, and anybody's typing mistake would fill the record.
 *
 * A name that is not known here may be anything, a key pasted in its place too: the caller is told it, the row is not.
 */
import { type Code, isRefusal } from '../contract/codes.js';
import type { ColdsealError } from '../contract/error.js';
import { isModelSetting } from '../contract/model-setting.js';
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
    const facts = knownFacts(error);
    await records.append(id, { event: 'refused', verb, code: error.code, facts, route, kind, project });
    return true;
  } catch (failure) {
    say(`coldseal: the refusal could not be recorded: ${failure instanceof Error ? failure.message : 'unknown fault'}`);
    return false;
  }
};

type Fact = string | number | boolean | null;

const WITHHELD = '[withheld]';

/** Facts that say back a name because nobody here knows it. */
const UNKNOWN_NAMES: Partial<Record<Code, string>> = {
  NO_KIND: 'agent',
  PROVIDER_UNKNOWN: 'provider',
  MODEL_NOT_LISTED: 'model',
  MODEL_DENIED: 'model',
};
/** Words of these are settings, and only those of the closed list are known. */
const SETTINGS: ReadonlySet<string> = new Set(['setting', 'settings']);

const knownFacts = ({ code, facts }: ColdsealError): Readonly<Record<string, Fact>> =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [[name, knownFact(code, name, fact)]])),
  );

const knownFact = (code: Code, name: string, fact: Fact): Fact => {
  if (UNKNOWN_NAMES[code] === name) return WITHHELD;
  if (typeof fact !== 'string' || !SETTINGS.has(name)) return fact;
  return fact.replace(/[^ ,]+/g, (word) => (isModelSetting(word) ? word : WITHHELD));
};

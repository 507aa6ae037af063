/** What a report says of a rule, a value and a commit besides where something stands. */
import { join } from 'node:path';
import { ensureFingerprintKey } from '../../config/fingerprint-key.js';
import { ColdsealError } from '../../contract/error.js';
import type { Repository } from '../../contract/repository.js';
import { identityRules } from '../../rules/identity-rules.js';
import { loadRuleSet } from '../../rules/load-rule-set.js';
import { fingerprintOf } from '../fingerprints.js';
import type { Surroundings } from '../surroundings.js';
import type { CommitNote } from './scan-report.js';
import type { ScanSession } from './scan-session.js';

export interface ReportFacts {
  readonly describe: (ruleId: string, kind: string) => string;
  readonly fingerprint: (ruleId: string, value: Uint8Array) => string | null;
  readonly commit: (id: string) => Promise<CommitNote>;
}

/** The key is made with the first report that prints fingerprints; without a place for it the report has none. */
const keyOf = async (surroundings: Surroundings, session: ScanSession): Promise<Uint8Array | null> => {
  try {
    return await ensureFingerprintKey(session.settings.machineFolder, surroundings.uid, surroundings.random);
  } catch (error) {
    if (error instanceof ColdsealError && error.code !== 'CONFIG_UNSAFE') throw error;
    surroundings.say('coldseal: this machine’s fingerprint key cannot be made, so the report has no fingerprints');
    return null;
  }
};

const commitReader = (repository: Repository | null): ReportFacts['commit'] => {
  const known = new Map<string, Promise<CommitNote>>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    if (repository === null) throw new ColdsealError('INTERNAL', 'a commit was found where there is no repository');
    const note = repository.commitFacts(id).then((facts) => ({ id, ...facts }));
    known.set(id, note);
    return note;
  };
};

/** `isKeyed`: the report prints fingerprints. */
export const reportFacts = async (
  surroundings: Surroundings,
  session: ScanSession,
  isKeyed: boolean,
): Promise<ReportFacts> => {
  const key = isKeyed ? await keyOf(surroundings, session) : null;
  const { profile } = session;
  const rules = isKeyed
    ? [
        ...loadRuleSet(join(surroundings.configFolder, 'rules')).rules,
        ...identityRules(profile.identity),
        ...profile.ownerRules,
      ]
    : [];
  const descriptions = new Map(rules.map(({ id, description }) => [id, description]));
  return {
    describe: (ruleId, kind) => descriptions.get(ruleId) ?? `a value of kind ${kind}`,
    fingerprint: (ruleId, value) => (key === null ? null : fingerprintOf(key, ruleId, value)),
    commit: commitReader(session.repository),
  };
};

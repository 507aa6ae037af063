/**
 * Which rules a scan runs and the scanner made of them. A profile names families, identity inputs and the owner's rules;
 * threads see the same few profiles again and again, so what was made of the last ones is kept by the profile's digest.
 */
import type { Rule, ScanProfile } from '../contract/rule.js';
import { identityRules } from '../rules/identity-rules.js';
import type { FindCandidates } from '../views/candidates.js';
import { CANDIDATE_PAGES, type CandidateExports, candidatesThroughWasm } from '../views/wasm-candidates.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import { type MaskMarks, markKinds, marksMasker } from './mask-marks.js';
import { planRule } from './planned-rule.js';
import type { TextScanner } from './rule-hit.js';
import type { RuleTables } from './rule-tables.js';
import { scanByPlaces } from './scan-by-places.js';
import type { NowMs } from './search-starts.js';
import { fixedMemory, instantiate, type WasmModule } from './web-assembly.js';

/** Profiles whose scanner is kept: a change review, a reading, the gate, and one to spare. */
const KEPT_PROFILES = 4;

export interface ProfileScanner {
  readonly rules: readonly CompiledRule[];
  readonly scanner: TextScanner;
  /** The first look at a text for encoded forms. */
  readonly findCandidates: FindCandidates;
  readonly maskMarks: MaskMarks;
}

/** Rules of a profile in a fixed order: compiled-in, identity, the owner's. `secret` and `private` cannot be off. */
const rulesOf = (tables: RuleTables, profile: ScanProfile): CompiledRule[] => {
  const on = new Set<string>([...profile.families, 'secret', 'private']);
  const isOn = (rule: Rule): boolean => on.has(rule.family);
  return [
    ...tables.rules.filter(({ rule }) => isOn(rule)),
    ...[...identityRules(profile.identity), ...profile.ownerRules].filter(isOn).map(planRule),
  ].map(compileRule);
};

export type OpenProfile = (profile: ScanProfile) => ProfileScanner;

/** One a thread. The returned function answers from what it kept, else compiles. */
export const profileScanners = (tables: RuleTables, prefilter: WasmModule, nowMs: NowMs): OpenProfile => {
  const kept = new Map<string, ProfileScanner>();
  const memory = fixedMemory(CANDIDATE_PAGES);
  const findCandidates = candidatesThroughWasm(instantiate(prefilter, memory) as CandidateExports, memory);
  return (profile) => {
    const known = kept.get(profile.digest);
    if (known !== undefined) {
      kept.delete(profile.digest);
      kept.set(profile.digest, known);
      return known;
    }
    const rules = rulesOf(tables, profile);
    const made = {
      rules,
      scanner: scanByPlaces(prefilter, rules, nowMs),
      findCandidates,
      maskMarks: marksMasker(markKinds(rules)),
    };
    kept.set(profile.digest, made);
    const oldest = kept.size > KEPT_PROFILES ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return made;
  };
};

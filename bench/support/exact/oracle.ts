/**
 * The measure of the engine: every rule by RE2 over the whole of every text and of every view of it, views found by the
 * plain code, one text at a time. No tables, no literals, no guards, no WebAssembly, no batches, no threads. Slow, and
 * plain to see that it is right.
 */

import type { Family } from '../../../src/contract/finding.js';
import type { ScanOutcome } from '../../../src/contract/scan.js';
import { type CompiledRule, compileRule, unplanned } from '../../../src/engine/compiled-rule.js';
import { markKinds, marksMasker } from '../../../src/engine/mask-marks.js';
import type { RuleTables } from '../../../src/engine/rule-tables.js';
import { scanInputs } from '../../../src/engine/scan-input.js';
import { scanRuleByRule } from '../../../src/engine/scan-rule-by-rule.js';
import { findCandidates } from '../../../src/views/candidates.js';

export type Oracle = (text: Uint8Array) => ScanOutcome;

/** @param families whose rules are on; nobody's names and no owner's rules. The clock stands still: no bound on time. */
export const openOracle = (tables: RuleTables, families: readonly Family[]): Oracle => {
  const rules: CompiledRule[] = tables.rules
    .filter(({ rule }) => families.includes(rule.family))
    .map(({ rule }) => compileRule(unplanned(rule)));
  const profile = { rules, scanner: scanRuleByRule(rules), findCandidates, maskMarks: marksMasker(markKinds(rules)) };
  return (text) => {
    const [outcome] = scanInputs([{ ref: 0, text }], profile, () => 0);
    if (outcome === undefined) throw new Error('the oracle gave no answer');
    return outcome;
  };
};

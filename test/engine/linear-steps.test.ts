/**
 * The worst texts cost steps in proportion to their size. Counted, not timed: looks at the clock, which the engine takes at
 * each step of its work, and bytes looked at with all their views. A clock that stands still makes both the same each time.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHOLOGICAL } from '../../bench/support/pathological.js';
import { planRule } from '../../src/engine/planned-rule.js';
import { profileScanners } from '../../src/engine/profile-scanner.js';
import { scanInputs } from '../../src/engine/scan-input.js';
import { compileWasm, type WasmModule } from '../../src/engine/web-assembly.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import { buildPrefilter } from '../support/build-scan-thread.js';
import { FORGE_RULE, profileOf } from '../support/scan-fixtures.js';

const BYTES = 64 * 1024;
/** What is the same for any size, and a cut that falls otherwise. */
const SLACK = 1.15;

/** A rule that matches first in the larger text takes a few steps of its own. */
const RULE_STEPS = 64;

const folder = mkdtempSync(join(tmpdir(), 'coldseal-steps-'));
let prefilter: WasmModule;
const rules = loadRuleSet(resolve('config', 'rules')).rules.map(planRule);

beforeAll(() => {
  buildPrefilter(join(folder, 'prefilter.wasm'));
  prefilter = compileWasm(readFileSync(join(folder, 'prefilter.wasm')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('steps and bytes looked at', () => {
  let steps = 0;
  const clock = (): number => {
    steps += 1;
    return 0;
  };
  let scanOf: (text: Uint8Array) => { steps: number; bytes: number };
  beforeAll(() => {
    const profile = profileScanners(
      { rules, digest: 'sha256:x', probes: [], selfTestRule: planRule(FORGE_RULE) },
      prefilter,
      clock,
    )(profileOf());
    scanOf = (text) => {
      steps = 0;
      const [outcome] = scanInputs([{ ref: 0, text }], profile, clock);
      return { steps, bytes: outcome?.ok === true ? outcome.scannedBytes : 0 };
    };
  });

  it.each(PATHOLOGICAL.map(({ name, make }) => [name, make] as const))(
    'of %s at most double with the text',
    (_name, make) => {
      const small = scanOf(make(BYTES));
      const large = scanOf(make(2 * BYTES));
      expect(small.bytes).toBeGreaterThanOrEqual(BYTES);
      expect(large.bytes).toBeLessThanOrEqual(2 * SLACK * small.bytes);
      expect(large.steps).toBeLessThanOrEqual(2 * SLACK * small.steps + RULE_STEPS);
    },
  );
});

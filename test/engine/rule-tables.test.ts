import { describe, expect, test } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { planRule } from '../../src/engine/planned-rule.js';
import { decodeTables, encodeTables, type RuleTables } from '../../src/engine/rule-tables.js';
import { SELF_TEST_RULE } from '../../src/engine/self-test.js';
import { ASSIGN_RULE, FORGE_RULE, ruleOf } from '../support/scan-fixtures.js';

const tables: RuleTables = {
  rules: [FORGE_RULE, ASSIGN_RULE, ruleOf('\\p{Greek}+', { id: 'unread' })].map(planRule),
  selfTestRule: planRule(SELF_TEST_RULE),
  digest: 'sha256:of-the-rules',
  probes: [{ ruleId: 'forge-token', text: 'probe' }],
};

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof ColdsealError) return error.code;
    throw error;
  }
  return 'nothing was refused';
};

describe('the rule tables', () => {
  test('come back as they were written', () => {
    const bytes = encodeTables(tables);
    const back = decodeTables(bytes, 'rules.tables');
    expect(back.rules.map(({ rule }) => rule)).toEqual(tables.rules.map(({ rule }) => rule));
    expect({ digest: back.digest, probes: back.probes }).toEqual({ digest: tables.digest, probes: tables.probes });
    expect(Buffer.compare(encodeTables(back), bytes)).toBe(0);
  });

  test('come back from an odd address too', () => {
    const bytes = encodeTables(tables);
    const shifted = new Uint8Array(bytes.length + 1).subarray(1);
    shifted.set(bytes);
    expect(Buffer.compare(encodeTables(decodeTables(shifted, 'rules.tables')), bytes)).toBe(0);
  });

  test('are the same bytes for the same rules', () => {
    expect(Buffer.compare(encodeTables(tables), encodeTables(tables))).toBe(0);
  });

  test('are refused when any one byte of a thousand is another', () => {
    const bytes = encodeTables(tables);
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 1000)) {
      // A Buffer's own slice would spoil the bytes themselves, and every later one with them.
      const spoiled = Uint8Array.from(bytes);
      spoiled[at] = (spoiled[at] ?? 0) ^ 0x10;
      // The length of the JSON is in the head, outside the digest: another one is no JSON.
      const isLength = at >= 12 && at < 16;
      if (!isLength)
        expect([at, codeOf(() => decodeTables(spoiled, 'rules.tables'))]).toEqual([at, 'SCANNER_DEGRADED']);
    }
  });

  test.each([0, 1, 47, 48, 100])('are refused when cut after %i bytes', (length) => {
    expect(codeOf(() => decodeTables(encodeTables(tables).slice(0, length), 'rules.tables'))).toBe('SCANNER_DEGRADED');
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rule, ScanProfile } from '../../src/contract/rule.js';
import type { ScannedInput, ScanOutcome } from '../../src/contract/scan.js';
import { planRule } from '../../src/engine/planned-rule.js';
import { type OpenProfile, profileScanners } from '../../src/engine/profile-scanner.js';
import { scanInputs } from '../../src/engine/scan-input.js';
import { SELF_TEST_RULE, selfTest } from '../../src/engine/self-test.js';
import { compileWasm, type WasmModule } from '../../src/engine/web-assembly.js';
import { buildPrefilter } from '../support/build-scan-thread.js';
import { ASSIGN_RULE, FORGE_RULE, forgeToken, profileOf, randomText, ruleOf } from '../support/scan-fixtures.js';

let folder: string;
let prefilter: WasmModule;
let openProfile: OpenProfile;

const NETWORK_RULE = ruleOf('\\b10\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\b', {
  id: 'private-address',
  kind: 'net:private',
  family: 'network',
  severity: 'warn',
});
const SHIPPED: readonly Rule[] = [FORGE_RULE, ASSIGN_RULE, NETWORK_RULE];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coldseal-prefilter-'));
  buildPrefilter(join(folder, 'prefilter.wasm'));
  prefilter = compileWasm(readFileSync(join(folder, 'prefilter.wasm')));
  const tables = {
    rules: SHIPPED.map(planRule),
    selfTestRule: planRule(SELF_TEST_RULE),
    digest: 'sha256:x',
    probes: [],
  };
  openProfile = profileScanners(tables, prefilter, () => 0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scanAll = (
  texts: readonly (string | Uint8Array)[],
  profile: ScanProfile = profileOf(),
  nowMs = () => 0,
): ScanOutcome[] =>
  scanInputs(
    texts.map((text, ref) => ({ ref, text: Buffer.from(text) })),
    openProfile(profile),
    nowMs,
  );

const scan = (text: string | Uint8Array, profile?: ScanProfile): ScannedInput => {
  const [outcome] = scanAll([text], profile);
  if (outcome?.ok !== true) throw new Error('the input was not scanned');
  return outcome;
};

const placesOf = ({ findings }: ScannedInput): string[] =>
  findings.map(({ ruleId, start, end, line, views }) =>
    `${ruleId} ${start}-${end} line ${line} ${views.join('>')}`.trim(),
  );

describe('the findings of an input', () => {
  test('are sorted by start, then end, then rule id, each with its line and value', () => {
    const token = forgeToken(1);
    const outcome = scan(`a\n\nsecret = "${token}"\n${token}`);
    const at = 'a\n\nsecret = "'.length;
    expect(placesOf(outcome)).toEqual([
      `assigned-secret ${at}-${at + 40} line 3`,
      `forge-token ${at}-${at + 40} line 3`,
      `forge-token ${at + 42}-${at + 82} line 4`,
    ]);
    for (const { valueIndex } of outcome.findings) {
      expect(Buffer.from(outcome.values[valueIndex]?.bytes ?? []).toString()).toBe(token);
    }
  });

  test('are those of the rules whose families are on; secret and private cannot be off', () => {
    const text = `${forgeToken(2)} at 10.1.2.3 by student-77`;
    const owner = ruleOf('student-\\d+', { id: 'student', kind: 'private:student', family: 'private' });
    const idsWith = (families: ScanProfile['families']): string[] =>
      scan(text, { ...profileOf([owner], `sha256:${families.join()}`), families }).findings.map(({ ruleId }) => ruleId);
    expect(idsWith([])).toEqual(['forge-token', 'student']);
    expect(idsWith(['network'])).toEqual(['forge-token', 'private-address', 'student']);
  });

  test('are the same for each text of a batch as for the text alone', () => {
    const texts = Array.from({ length: 50 }, (_, seed) =>
      [randomText(seed, seed * 7), forgeToken(seed), encodeURIComponent(`secret="${randomText(seed, 20)}"`)].join('\n'),
    );
    const together = scanAll(texts);
    texts.forEach((text, ref) => {
      expect(together[ref]).toEqual({ ...scan(text), ref });
    });
  });
});

describe('encoded forms', () => {
  const token = forgeToken(3);
  const assigned = `secret = "${randomText(4, 24)}"`;

  test.each<[string, string, string, string]>([
    ['percent', 'percent', encodeURIComponent(`é${token}`).replace('fgt', '%66gt'), 'forge-token'],
    ['JSON escapes', 'escape', JSON.stringify({ body: assigned }), 'assigned-secret'],
    ['base64', 'base64', Buffer.from(`the token is ${token} `).toString('base64'), 'forge-token'],
    ['HTML entities', 'html', assigned.replaceAll('"', '&quot;'), 'assigned-secret'],
  ])('in %s are found in the bytes as they stand', (_name, view, text, ruleId) => {
    const { findings, scannedBytes } = scan(`before ${text} behind`);
    const hit = findings.find((finding) => finding.ruleId === ruleId);
    expect(hit?.views).toContain(view);
    expect(hit?.start).toBeGreaterThanOrEqual('before '.length);
    expect(hit?.end).toBeLessThanOrEqual('before '.length + text.length);
    expect(scannedBytes).toBeGreaterThan(text.length);
  });

  test('are not found again where decoding changed nothing of them', () => {
    const { findings } = scan(`${token} and %41%42%43`);
    expect(findings.map(({ ruleId, views }) => [ruleId, views])).toEqual([['forge-token', []]]);
  });

  test('are looked at for so long only', () => {
    let now = 0;
    const outcomes = scanAll([`${'%41%42 '.repeat(400)}`, token], profileOf(), () => (now += 3000));
    expect(outcomes[0]).toMatchObject({ ref: 0, ok: false, bound: 'view-time' });
  });
});

describe('bytes outside UTF-8', () => {
  test('do not hide a value that is written with them', () => {
    const text = Buffer.concat([Buffer.from('secret = "pa\u00dfw\u00f6rtlein"', 'latin1'), Buffer.from('\n')]);
    const { findings } = scan(text);
    expect(findings.map(({ ruleId, start, end }) => [ruleId, start, end])).toContainEqual(['assigned-secret', 10, 21]);
  });
});

describe('a key block', () => {
  const key = (lines: number): string => Array.from({ length: lines }, (_, seed) => randomText(seed, 64)).join('\n');
  const frame = (edge: string): string => `-----${edge} RSA PRIVATE KEY-----`;

  test('is one finding from BEGIN to END', () => {
    const text = `x\n${frame('BEGIN')}\n${key(4)}\n${frame('END')}\ny`;
    expect(placesOf(scan(text))).toEqual([`pem-rsa-private-key 2-${text.length - 2} line 2`]);
  });

  test('that never ends refuses the input', () => {
    const [outcome] = scanAll([`${frame('BEGIN')}\n${key(400)}\n`]);
    expect(outcome).toMatchObject({ ref: 0, ok: false, bound: 'pem-lines' });
  });
});

describe('a value that may be looked for elsewhere', () => {
  test.each<[string, string, boolean]>([
    ['a token', forgeToken(5), true],
    ['a random password', `secret = "${randomText(6, 20)}"`, true],
    ['a short one', `secret = "${randomText(7, 11)}"`, false],
    ['words', 'secret = "getUserByName"', false],
    ['an address, which only warns', 'at 10.200.30.40 it', false],
  ])('%s: %s', (_name, text, echo) => {
    const outcome = scan(text, { ...profileOf([], 'sha256:with-network'), families: ['network'] });
    expect(outcome.values.map((value) => value.echo)).toEqual([echo]);
  });
});

describe('the self-test of a thread', () => {
  const planned = SHIPPED.map(planRule);
  const selfTestRule = planRule(SELF_TEST_RULE);

  test('passes with rules that find their probes', () => {
    const probes = [{ ruleId: 'forge-token', text: `x ${forgeToken(9)}` }];
    expect(selfTest({ rules: planned, selfTestRule, digest: 'd', probes }, prefilter)).toBeNull();
  });

  test.each<[string, Parameters<typeof selfTest>[0]]>([
    ['no rules', { rules: [], selfTestRule, digest: 'd', probes: [] }],
    [
      'a probe that is not found',
      { rules: planned, selfTestRule, digest: 'd', probes: [{ ruleId: 'forge-token', text: 'nothing' }] },
    ],
    [
      'a probe of no rule',
      { rules: planned, selfTestRule, digest: 'd', probes: [{ ruleId: 'none', text: 'nothing' }] },
    ],
    [
      'a rule of its own that does not find its value',
      {
        rules: planned,
        selfTestRule: planRule(ruleOf('zzzz[0-9]{36}', { id: SELF_TEST_RULE.id })),
        digest: 'd',
        probes: [],
      },
    ],
    [
      'a plan that leaves out what its pattern matches',
      {
        rules: [{ ...planRule(FORGE_RULE), plan: planRule(ruleOf('zzzz[0-9]{36}')).plan }],
        selfTestRule,
        digest: 'd',
        probes: [{ ruleId: 'forge-token', text: forgeToken(10) }],
      },
    ],
  ])('names %s', (_name, tables) => {
    expect(selfTest(tables, prefilter)).not.toBeNull();
  });
});

describe('a mark', () => {
  const NAMED = ruleOf('acmecloud[^\\n]{0,40}?\\b([a-z0-9]{20})\\b', {
    id: 'acmecloud-named',
    kind: 'token:acmecloud_key',
    group: 1,
  });
  const value = randomText(11, 20, 'a0b1c2d3e4f5');
  const found = (text: string): number => scan(text, profileOf([NAMED], 'sha256:named')).findings.length;

  test('does not lend its vendor to what follows it, again and again', () => {
    expect(found(`acmecloud ${value}`)).toBe(1);
    expect(found(`[blanked token:acmecloud_key #1] | ${value}`)).toBe(0);
  });

  test('takes nothing from a vendor that stands outside it, and hides nothing that stands in it', () => {
    expect(found(`acmecloud [blanked token:acmecloud_key #1] ${value}`)).toBe(1);
    expect(found(`[blanked token:acmecloud ${value} #1]`)).toBe(1);
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rule } from '../../src/contract/rule.js';
import { compileRule, unplanned } from '../../src/engine/compiled-rule.js';
import { planRule } from '../../src/engine/planned-rule.js';
import type { RuleHit, TextScanner } from '../../src/engine/rule-hit.js';
import { scanByPlaces } from '../../src/engine/scan-by-places.js';
import { scanRuleByRule } from '../../src/engine/scan-rule-by-rule.js';
import { compileWasm, type WasmModule } from '../../src/engine/web-assembly.js';
import { buildPrefilter } from '../support/build-scan-thread.js';
import { patternSource, type RandomPattern } from '../support/pattern-grammar.js';
import { ruleOf } from '../support/scan-fixtures.js';

let folder: string;
let prefilter: WasmModule;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coldseal-prefilter-'));
  buildPrefilter(join(folder, 'prefilter.wasm'));
  prefilter = compileWasm(readFileSync(join(folder, 'prefilter.wasm')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fast = (rules: readonly Rule[]): TextScanner =>
  scanByPlaces(
    prefilter,
    rules.map((rule) => compileRule(planRule(rule))),
    () => performance.now(),
  );
const plain = (rules: readonly Rule[]): TextScanner =>
  scanRuleByRule(rules.map((rule) => compileRule(unplanned(rule))));

const inOrder = (hits: readonly RuleHit[]): string[] =>
  hits.map((hit) => `${hit.rule}: ${hit.from} ${hit.start} ${hit.end} ${hit.to}`).sort();

/** Asserts that both ways find the same, and says which pattern differs. */
const expectSame = (rules: readonly Rule[], texts: readonly Uint8Array[]): number => {
  const found = fast(rules).findHits(texts).map(inOrder);
  const wanted = plain(rules).findHits(texts).map(inOrder);
  expect({ patterns: rules.map((rule) => rule.pattern), found }).toEqual({
    patterns: rules.map((rule) => rule.pattern),
    found: wanted,
  });
  return wanted.flat().length;
};

const NOISE = [
  '',
  ' ',
  '\n',
  'k',
  's',
  '_',
  '"',
  'key=',
  'é',
  '\u017f',
  '\u212a',
  '.',
  'a',
  '0',
  'token: ',
  '\r\n',
  '-',
  '"',
  'KEY',
];

/** Samples of the patterns with noise between them and some bytes changed. */
const nearlyMatching = (patterns: readonly RandomPattern[], below: (limit: number) => number): Buffer => {
  const parts: string[] = [];
  for (let count = 1 + below(12); count > 0; count -= 1) {
    const pattern = patterns[below(patterns.length)];
    if (pattern !== undefined) parts.push(pattern.sample());
    parts.push(NOISE[below(NOISE.length)] ?? '');
  }
  const bytes = Buffer.from(parts.join(''), 'utf8');
  if (below(2) === 0) {
    for (let changes = below(4); changes > 0 && bytes.length > 0; changes -= 1) {
      const at = below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) < 0x80 ? 0x61 + below(26) : (bytes[at] ?? 0);
    }
  }
  return bytes;
};

describe('the fast scanner finds what RE2 finds rule by rule', () => {
  test.each(Array.from({ length: 40 }, (_, index) => index))(
    'for random patterns on texts made for them, seed %i',
    (seed) => {
      const { pattern, below } = patternSource(1000 + seed);
      let hits = 0;
      for (let round = 0; round < 12; round += 1) {
        const patterns = Array.from({ length: 1 + below(8) }, pattern);
        const rules = patterns.map(({ source, groups }, index) =>
          ruleOf(source, { id: `rule-${index}`, group: below(groups + 1) }),
        );
        const texts = Array.from({ length: 6 }, () => nearlyMatching(patterns, below));
        hits += expectSame(rules, texts);
      }
      expect(hits).toBeGreaterThan(0);
    },
  );
});

const KEYWORD_RULES: readonly Rule[] = [
  ruleOf('fgt_[A-Za-z0-9]{36}', { id: 'a' }),
  ruleOf('\\b(?:AKIA|ASIA)[A-Z2-7]{16}', { id: 'b' }),
  ruleOf('(?i)[\\w.-]{0,50}?(?:secret|token|passwd)[\\w.-]{0,20}\\s{0,5}[=:]\\s{0,5}["\']?([^\\s"\']{8,64})', {
    id: 'c',
    group: 1,
  }),
  ruleOf('[a-z]+://[^\\s/:@]+:([^\\s@/]{3,})@', { id: 'd', group: 1 }),
  ruleOf('[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}', { id: 'e' }),
  ruleOf('eyJ[\\w-]+\\.eyJ[\\w-]+\\.[\\w-]*', { id: 'f' }),
  ruleOf('\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b', { id: 'g' }),
  ruleOf('(?s)BEGIN KEY.{0,400}?END KEY', { id: 'h' }),
  ruleOf('(?m)^key=(.*)$', { id: 'i', group: 1 }),
  ruleOf('s+k', { id: 'j' }),
];

const SNIPPETS = [
  'AKIAIOSFODNN7EXAMPL3 ',
  'x_secret_name: "hunter2hunter2"\n',
  'https://user:pa55word@example.org/\n',
  'someone@example.org, ',
  'eyJhbGciOi.eyJzdWIi.abc-_9 ',
  '10.0.0.1 255.255.255.255.1 ',
  'BEGIN KEY\nabc\nEND KEY\n',
  'key=value of it\n',
  'ssssssk ',
  'const answer = 42; // nothing\n',
  'naïve café ſecret=abcdefgh1 ',
];

/** A long text of snippets and filler. */
const mixedText = (seed: number, length: number): Buffer => {
  const { below } = patternSource(seed);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part = below(3) === 0 ? (SNIPPETS[below(SNIPPETS.length)] ?? '') : `filler ${below(1e6).toString(36)} `;
    parts.push(part);
    size += part.length;
  }
  return Buffer.from(parts.join(''), 'utf8').subarray(0, length);
};

describe('a group that a pattern does not have', () => {
  test('is found empty by both ways, whatever was found before', () => {
    const rules = [ruleOf('a+(b+)c', { id: 'a', group: 1 }), ruleOf('key', { id: 'b', group: 3 })];
    expect(expectSame(rules, [Buffer.from('abc key abc key'), Buffer.from('key')])).toBe(2);
  });
});

describe('how the bytes are handed in does not matter', () => {
  test.each([1, 2, 7, 63, 64, 65, 1000, 1023, 4096, 16_384, 262_143, 262_144, 262_145, 300_000])(
    'for items of %i bytes',
    (size) => {
      const whole = mixedText(size, Math.max(40_000, Math.min(size * 3, 900_000)));
      const texts: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) texts.push(whole.subarray(at, at + size));
      expectSame(KEYWORD_RULES, texts.slice(0, 4000));
    },
  );

  test('for items of many sizes in one batch, empty ones among them', () => {
    const { below } = patternSource(5);
    const texts = Array.from({ length: 300 }, (_, index) => mixedText(index, below(2) === 0 ? below(40) : below(9000)));
    expectSame(KEYWORD_RULES, texts);
  });

  test('for a hit on every byte around the places where a large item is cut', () => {
    const token = `fgt_${'a1'.repeat(18)}`;
    for (let shift = -44; shift <= 8; shift += 4) {
      const text = Buffer.alloc(600_000, 'x ');
      for (const cut of [65_536, 131_072, 262_144, 524_288]) text.write(token, cut + shift, 'latin1');
      const hits = fast(KEYWORD_RULES).findHits([text])[0] ?? [];
      expect(inOrder(hits)).toHaveLength(4);
    }
  });
});

describe('bytes that are no UTF-8', () => {
  test('are matched as RE2 matches them', () => {
    const { below } = patternSource(77);
    const texts = Array.from({ length: 200 }, (_, index) => {
      const bytes = mixedText(index, 400);
      for (let count = 0; count < 12; count += 1) bytes[below(bytes.length)] = 0x80 + below(128);
      return bytes;
    });
    expectSame(KEYWORD_RULES, texts);
  });
});

/** Time is not looked at here: a way that is not linear would not come to an end within the test's time. */
describe('the worst inputs come to an end', () => {
  const size = 2 * 1024 * 1024;
  test.each<[string, string]>([
    ['one letter', 'a'],
    ['a prefix', 'AKIA'],
    ['an assignment without a value', 'key='],
    ['an assignment of itself', 'secret='],
    ['a folded letter outside ASCII', '\u017f'],
    ['a keyword with one', '\u017fecret'],
    ['an address that never ends', 'a@'],
    ['a scheme', '://'],
    ['dots and digits', '1.'],
    ['line ends', '\n'],
    ['a key that begins', 'BEGIN KEY'],
    ['letters that end nowhere', 's'],
  ])('%s, repeated for 2 MiB', (_name, unit) => {
    const text = Buffer.alloc(size, unit, 'utf8');
    expect(fast(KEYWORD_RULES).findHits([text])).toHaveLength(1);
  });
});

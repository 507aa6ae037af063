/**
 * Properties of blanking through the built program and the shipped rules, on items made to be hard: bytes outside the
 * spans stay, what was blanked has nothing left to blank, lines keep their number, the order of items does not matter.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fuzzedItems } from '../../bench/support/exact/fuzzed-items.js';
import { expandExample } from '../../src/rules/expand-example.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { projectFolder } from '../support/run-coldseal.js';

interface Answer {
  readonly id: number;
  readonly text: string;
  readonly findings: readonly { readonly rule: string; readonly start: number; readonly end: number }[];
}

const ITEMS = 400;
const SEED = 41;
const PLACEHOLDER = /\[blanked [a-z_:0-9-]+(?: #\d+)?\]/g;

let home: ProgramHome;
let texts: readonly string[];
let answers: readonly Answer[];

const ask = async (asked: readonly string[]): Promise<readonly Answer[]> => {
  const input = asked.map((text, id) => JSON.stringify({ id, text })).join('\n');
  const ran = await home.run(projectFolder, ['scan', '--ndjson'], { input });
  expect(ran.exit).toBe(0);
  return ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
};

beforeAll(async () => {
  home = makeProgramHome({});
  const makeItem = fuzzedItems(loadRuleSet(join(projectFolder, 'config/rules')).rules, SEED);
  texts = Array.from({ length: ITEMS }, (_, number) => makeItem(number).toString('utf8'));
  answers = await ask(texts);
}, 120_000);

afterAll(() => home.remove());

/** Parts of the blanked text between placeholders, each of which must stand in the text, in order and outside spans. */
const outside = (text: string, { findings }: Answer): Buffer => {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of [...findings].sort((a, b) => a.start - b.start)) {
    if (start > from) parts.push(bytes.subarray(from, start));
    from = Math.max(from, end);
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
};

const lineCount = (text: string): number => text.split('\n').length;

describe('blanking through the built program', { timeout: 120_000 }, () => {
  test('finds something in most items, and answers all in order', () => {
    expect(answers.map(({ id }) => id)).toEqual(texts.map((_, id) => id));
    expect(answers.filter(({ findings }) => findings.length > 0).length).toBeGreaterThan(ITEMS / 2);
  });

  test('keeps every byte outside the spans of a line and nothing of those inside', () => {
    let compared = 0;
    for (const [id, answer] of answers.entries()) {
      const text = texts[id] ?? '';
      // A span over several lines keeps their ends; a text with a placeholder of its own cannot be told apart.
      const bytes = Buffer.from(text);
      const spansLines = answer.findings.some(({ start, end }) => bytes.subarray(start, end).includes(0x0a));
      if (spansLines || text.includes('[blanked')) continue;
      expect(Buffer.from(answer.text.replaceAll(PLACEHOLDER, '')).equals(outside(text, answer))).toBe(true);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(ITEMS / 2);
  });

  test('keeps the number of lines', () => {
    expect(answers.map(({ text }) => lineCount(text))).toEqual(texts.map(lineCount));
  });

  test('leaves nothing to blank in the blanked examples of any rule', async () => {
    const { rules } = loadRuleSet(join(projectFolder, 'config/rules'));
    const examples = rules.flatMap(({ id, examples: own }) => own.map((one) => expandExample(one, `${id} blanked`)));
    const first = await ask(examples);
    const again = await ask(first.map(({ text }) => text));
    const found = again.filter(({ findings }) => findings.length > 0);
    expect(found.map(({ id, findings }) => [first[id]?.text, findings.map(({ rule }) => rule)])).toEqual([]);
  });

  test('leaves nothing to blank in what it blanked', async () => {
    const again = await ask(answers.map(({ text }) => text));
    const changed = again.filter(({ id, text }) => text !== answers[id]?.text);
    expect(changed.map(({ id, findings }) => `${id}: ${findings.map(({ rule }) => rule).join(', ')}`)).toEqual([]);
  });

  test('says the same of each item in any order and company', async () => {
    const order = texts.map((_, id) => id).sort((a, b) => ((a * 7919) % ITEMS) - ((b * 7919) % ITEMS));
    const shuffled = await ask(order.map((id) => texts[id] ?? ''));
    shuffled.forEach(({ text, findings }, place) => {
      const { text: wanted, findings: found } = answers[order[place] ?? 0] ?? {};
      expect({ text, findings }).toEqual({ text: wanted, findings: found });
    });
  });
});

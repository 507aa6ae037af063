/** Rules 8 and 13: a secret in any place of what leaves is blanked there, counted once on stderr and named in the record. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import {
  blankedItems,
  blobText,
  diffText,
  type ExpectedItem,
  expectedBody,
  expectedFrame,
  type PlantedValue,
} from '../support/expected-frame.js';
import {
  CRITERIA,
  INTENTS,
  makeRecordRepository,
  type RecordRepository,
  SPECS,
  shippedIntent,
} from '../support/make-record-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { filesHolding, openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const token = (seed: string): PlantedValue => ({
  value: expandExample('{github:ghp}', `rule-08 ${seed}`),
  kind: 'token:github_pat',
});
const IN_CODE = token('code');
const IN_CRITERIA = token('criteria');
const IN_NAME = token('name');
const IN_SUBJECT = token('subject');
const IN_TAG = token('tag');
const PLANTED = [IN_CODE, IN_CRITERIA, IN_NAME, IN_SUBJECT, IN_TAG];
const SYSTEM = 'Answer with one JSON document.\n';
const INTENT = `${INTENTS}/shipped/itd-7-send-safely.md`;
const NAMED = `src/${IN_NAME.value}.txt`;

let world: ProgramWorld;
let repository: RecordRepository;
let head: string;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRecordRepository();
  const { oracle, coldseal } = world.fragment();
  const agents = ['intent-auditor', 'release-changelog-composer', 'change-reviewer'];
  const roles = Object.fromEntries(agents.map((agent) => [agent, 'sandbox/summary-1']));
  world.writeMachine({ oracle: { ...oracle, roles }, coldseal });
  for (const agent of agents) world.writeAgent(agent, SYSTEM);
  repository.git(['tag', IN_TAG.value, repository.base]);
  head = repository.commit(`Deliver with ${IN_SUBJECT.value}`, {
    [INTENT]: shippedIntent.replace(CRITERIA, `${CRITERIA}\n- Given ${IN_CRITERIA.value}, then it is refused.`),
    'src/send.ts': `export const key = '${IN_CODE.value}';\nexport const again = '${IN_CODE.value}';\n`,
    [NAMED]: 'Nothing in it.\n',
  });
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const file = (input: string, path: string): ExpectedItem => ({
  input,
  name: path,
  text: blobText(repository.folder, head, path),
});
const reviews = () => join(repository.folder, '.abcd/.work.local/reviews');

interface BlankedRow {
  readonly item: string;
  readonly line: number;
  readonly kind: string;
}

/** Line and item of every planted value, by the text as read. */
const placesIn = (items: readonly ExpectedItem[]): readonly BlankedRow[] =>
  items.flatMap(({ name, text }, at) => {
    const item = `itm-${String(at + 1).padStart(4, '0')}`;
    const found = (line: string, number: number) =>
      PLANTED.flatMap(({ value, kind }) =>
        Array.from({ length: line.split(value).length - 1 }, () => ({ item, line: number, kind })),
      );
    return [...found(name, 0), ...text.split('\n').flatMap((line, index) => found(line, index + 1))];
  });

const expectBlanked = async (words: readonly string[], raw: readonly ExpectedItem[]) => {
  const { items, blanked } = blankedItems(raw, PLANTED);
  const run = await world.runJson(repository.folder, words);
  expect(run.ended).toBe('0 sent');
  const message = expectedFrame(items, { blanked });
  const body = world.sandbox.requests().at(-1)?.body;
  expect(body?.toString()).toBe(expectedBody({ model: 'summary-1', system: SYSTEM, message }).toString());
  for (const { value } of PLANTED) expect(body?.includes(value)).toBe(false);
  const touched = new Set(placesIn(raw).map(({ item }) => item)).size;
  const counted = run.stderr.split('\n').filter((line) => line.includes(': sends '));
  expect(counted).toEqual([
    `coldseal: ${run.document.bundle?.kind}: sends ${items.length} items, ${Buffer.byteLength(message)} bytes to sandbox (sandbox.coldseal.example); blanked ${blanked} spans in ${touched} items`,
  ]);
  const start = world.rows().findLast(({ event }) => event === 'start') as unknown as {
    bundle: { blanked: BlankedRow[]; items: { path: string | null }[] };
  };
  const order = (rows: readonly BlankedRow[]) => rows.map(({ item, line, kind }) => `${item}:${line} ${kind}`);
  expect(order(start.bundle.blanked)).toEqual(order(placesIn(raw)));
  return { run, start };
};

describe('rule 8: a secret', () => {
  it('in code, in the request and in a name is blanked in each place, while receipt and hash lines survive', async () => {
    await world.run(repository.folder, ['intent', 'audit', 'itd-7', '--route', 'intent-auditor=host-decides']);
    const [name = ''] = filesHolding(reviews(), IN_CRITERIA.value);
    const request = readFileSync(name, 'utf8');
    const receipt = /^- receipt_id: (rcp-[0-9a-f]{12})$/m.exec(request)?.[1] ?? '';
    rmSync(name);
    const changed = repository
      .git(['diff-tree', '-r', '--name-only', '--no-renames', '--diff-filter=d', repository.base, head])
      .split('\n');
    const specs = [`${SPECS}/closed/spc-2-first.md`, `${SPECS}/closed/spc-10-second.md`];
    const { run, start } = await expectBlanked(
      ['intent', 'audit', 'itd-7'],
      [
        { input: 'request', name: receipt, text: request },
        file('intent', INTENT),
        ...specs.map((path) => file('specs', path)),
        {
          input: 'diff',
          name: `${repository.base}..${head}`,
          text: diffText(repository.folder, repository.base, head),
        },
        ...changed
          .filter((path) => path !== INTENT && !specs.includes(path))
          .map((path) => file('changed_files', path)),
      ],
    );
    const kept = request.match(/^(?:# .*|- (?:receipt_id|rubric_hash|prompt_hash): .*)$/gm) ?? [];
    for (const line of kept) expect(world.message()).toContain(`${line}\n`);
    expect(kept).toHaveLength(4);
    expect(start.bundle.items.map(({ path }) => path)).toContain('[withheld]');
    expect(run.stdout).toContain('src/[blanked token:github_pat #');
  });

  it('in a tag is blanked in the item’s name and in the cut', async () => {
    const plan = await world.run(repository.folder, [
      'release',
      'changelog',
      '--from',
      IN_TAG.value,
      '--route',
      'release-changelog-composer=host-decides',
    ]);
    expect(plan.exit).toBe(0);
    const [cutFile = ''] = filesHolding(reviews(), IN_TAG.value);
    const cut = readFileSync(cutFile, 'utf8');
    rmSync(cutFile);
    await expectBlanked(
      ['release', 'changelog', '--from', IN_TAG.value],
      [
        { input: 'cut', name: IN_TAG.value, text: cut },
        file('records', INTENT),
        file('records', '.abcd/work/issues/resolved/iss-5-slow.md'),
      ],
    );
  });

  it('leaves no trace in the machine folder, in the written files and in what was printed', async () => {
    const shown = await world.run(repository.folder, ['records', 'show', 'last']);
    const plan = await world.run(repository.folder, ['review', '--plan']);
    expect([shown.exit, plan.exit]).toEqual([0, 0]);
    for (const { value } of PLANTED) {
      expect(filesHolding(world.machineFolder, value)).toEqual([]);
      expect(filesHolding(reviews(), value)).toEqual([]);
      expect(`${shown.stdout}${plan.stdout}${plan.stderr}`).not.toContain(value);
    }
  });
});

describe('rule 13: a secret outside the items', () => {
  const systemOf = (): string => {
    const body = JSON.parse(world.sandbox.requests().at(-1)?.body?.toString('utf8') ?? '') as {
      messages: { content: string }[];
    };
    return body.messages[0]?.content ?? '';
  };

  it('in the definition and in the brief is blanked in the system message, with the number of the same value', async () => {
    world.writeAgent('change-reviewer', `Look for ${IN_NAME.value}.\n`);
    const brief = join(world.home, 'brief.md');
    writeFileSync(brief, `Mind ${IN_CODE.value} and ${IN_NAME.value}.\n`);
    const run = await world.runJson(repository.folder, ['review', '--brief', brief]);
    expect(run.ended).toBe('0 sent');
    const [, first, second, third] =
      /^Look for (\[blanked token:github_pat #\d\])\.[\s\S]*Mind (\[.*?\]) and (\[.*?\])\.$/m.exec(systemOf()) ?? [];
    expect(first).toBe(third);
    expect(second).toMatch(/^\[blanked token:github_pat #\d\]$/);
    expect(second).not.toBe(first);
    const rows = run.document.bundle?.blanked as readonly BlankedRow[];
    expect(rows.filter(({ item }) => item === 'system')).toHaveLength(3);
  });

  it('in a model setting is refused, whoever set it', async () => {
    const typed = await world.runJson(repository.folder, ['review', '--set', `stop="${IN_CODE.value}"`]);
    expect(typed.ended).toMatch(/^2 refused SETTING_REFUSED /);
    expect(typed.stdout + typed.stderr).not.toContain(IN_CODE.value);
    const { oracle, coldseal } = world.fragment();
    const providers = coldseal['providers'] as { sandbox: object };
    const settings = { stop: [IN_CODE.value] };
    const home = makeProgramHome({ oracle, coldseal: { providers: { sandbox: { ...providers.sandbox, settings } } } });
    try {
      const owner = await home.runJson(repository.folder, ['review']);
      expect(owner.ended).toMatch(/^2 refused SETTING_REFUSED /);
      expect(owner.stdout + owner.stderr).not.toContain(IN_CODE.value);
    } finally {
      home.remove();
    }
  });
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Edit, editJsonText } from '../../src/config/edit-json-text.js';
import { writeMachineFile } from '../../src/config/write-machine-file.js';
import { type MadeHome, makeHome, refusalOf } from './made-home.js';

const cap = (value: string | number): Edit => ({ kind: 'set', path: ['oracle', 'bundles', 'cap'], value });
const withhold = (glob: string): Edit => ({ kind: 'append', path: ['oracle', 'bundles', 'withhold'], value: glob });
const unset = (...path: readonly string[]): Edit => ({ kind: 'unset', path });
const takeOut = (value: string, ...path: readonly string[]): Edit => ({
  kind: 'remove',
  path,
  isEntry: (entry) => entry === value,
});

describe('an edit of a JSON text', () => {
  it.each<[what: string, text: string, edit: Edit, edited: string]>([
    ['fills an empty object', '{}', cap(1), '{\n  "oracle": {\n    "bundles": {\n      "cap": 1\n    }\n  }\n}\n'],
    [
      'replaces a value in its place',
      '{ "oracle": {"bundles":{"cap":1, "withhold":[]}}, "b": 2 }\n',
      cap('4 MiB'),
      '{ "oracle": {"bundles":{"cap":"4 MiB", "withhold":[]}}, "b": 2 }\n',
    ],
    [
      'adds behind the last member, in the text’s own indent',
      '{\n\t"z": 1,\n\n\t"oracle": {\n\t\t"roles": {}\n\t}\n}\n',
      cap(1),
      '{\n\t"z": 1,\n\n\t"oracle": {\n\t\t"roles": {},\n\t\t"bundles": {\n\t\t\t"cap": 1\n\t\t}\n\t}\n}\n',
    ],
    [
      'keeps one line one line',
      '{"oracle": {"bundles": {"withhold": []}}}',
      cap(1),
      '{"oracle": {"bundles": {"withhold": [], "cap": 1}}}\n',
    ],
    [
      'makes a list to append to',
      '{"oracle": {"bundles": {}}}\n',
      withhold('a'),
      '{"oracle": {"bundles": {\n      "withhold": [\n        "a"\n      ]\n    }}}\n',
    ],
    [
      'appends to a list',
      '{"oracle":{"bundles":{"withhold":["a"]}}}\n',
      withhold('b'),
      '{"oracle":{"bundles":{"withhold":["a", "b"]}}}\n',
    ],
    [
      'appends in a line of its own where the others stand so',
      '{\n "oracle": {\n  "bundles": {\n   "withhold": [\n    "a"\n   ]\n  }\n }\n}\n',
      withhold('b'),
      '{\n "oracle": {\n  "bundles": {\n   "withhold": [\n    "a",\n    "b"\n   ]\n  }\n }\n}\n',
    ],
    [
      'does not append twice',
      '{"oracle":{"bundles":{"withhold":[\n        "a"\n      ]}}}\n',
      withhold('a'),
      '{"oracle":{"bundles":{"withhold":[\n        "a"\n      ]}}}\n',
    ],
  ])('%s', (_what, text, edit, edited) => {
    expect(editJsonText(text, edit)).toBe(edited);
  });

  it.each<[what: string, text: string, edit: Edit, edited: string]>([
    ['the only member', '{"a": {"b": {"c": 1}}}', unset('a', 'b', 'c'), '{"a": {}}'],
    ['the first member', '{"a": {\n  "b": 1,\n  "c": 2\n}}', unset('a', 'b'), '{"a": {\n  "c": 2\n}}'],
    ['a member between', '{"a": 1, "b": 2,\n "c": 3}', unset('b'), '{"a": 1, "c": 3}'],
    ['the last member', '{\n\t"a": 1,\n\t"b": [2]\n}\n', unset('b'), '{\n\t"a": 1\n}\n'],
    ['nothing where nothing is', '{"a": 1 }', unset('a', 'b'), '{"a": 1 }'],
    ['the first entry', '{"a": ["x", "y"]}', takeOut('x', 'a'), '{"a": ["y"]}'],
    ['the last entry', '{"a": [\n  "y",\n  "x"\n]}', takeOut('x', 'a'), '{"a": [\n  "y"\n]}'],
    ['an entry that stands there twice', '{"a": ["x", "y", "x"]}', takeOut('x', 'a'), '{"a": ["y"]}'],
    ['the list with its only entry', '{"a": {"b": ["x"], "c": 1}}', takeOut('x', 'a', 'b'), '{"a": {"c": 1}}'],
    ['no entry that is another', '{"a": ["y"]}', takeOut('x', 'a'), '{"a": ["y"]}'],
  ])('takes out %s', (_what, text, edit, edited) => {
    expect(editJsonText(text, edit)).toBe(edited);
  });

  it('takes out the one member and nothing else, for every document and path', () => {
    const name = fc.constantFrom('a', 'b', '__proto__', 'c d');
    const document = fc.dictionary(name, fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(document, name, fc.nat(4), (value, member, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!/\\ud[89a-f]/i.test(text));
        const left = Object.entries(JSON.parse(text) as object).filter(([known]) => known !== member);
        expect(Object.entries(JSON.parse(editJsonText(text, unset(member))) as object)).toEqual(left);
      }),
    );
  });

  it('changes the one value and nothing else, for every document and path', () => {
    const name = fc.constantFrom('a', 'b', '__proto__', 'c d', '"');
    const document = fc.dictionary(name, fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(document, fc.array(name, { minLength: 1, maxLength: 4 }), fc.nat(4), (value, path, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!/\\ud[89a-f]/i.test(text));
        const edited = JSON.parse(editJsonText(text, { kind: 'set', path, value: ['x'] })) as unknown;
        expect(edited).toEqual(assigned(JSON.parse(text), path, ['x']));
      }),
    );
  });
});

/** What setting a path in parsed JSON comes to. */
function assigned(value: unknown, path: readonly string[], to: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return to;
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const inner = members.find(([known]) => known === name)?.[1] as unknown;
  return Object.fromEntries([...members.filter(([known]) => known !== name), [name, assigned(inner, rest, to)]]);
}

describe('the writer of the machine file', () => {
  let made: MadeHome;
  beforeEach(() => {
    made = makeHome();
  });
  afterEach(() => made.remove());

  const write = (edits: readonly Edit[]) =>
    writeMachineFile({ facts: made.facts(), edits, typed: [], uniqueWord: 'test' });
  const mode = (file: string): number => statSync(file).mode & 0o777;

  it('makes folder and file for the owner alone', async () => {
    expect(await write([cap('8 MiB'), withhold('*.lock')])).toEqual({
      file: made.machineFile,
      created: true,
      changed: true,
    });
    expect(JSON.parse(readFileSync(made.machineFile, 'utf8'))).toEqual({
      oracle: { bundles: { cap: '8 MiB', withhold: ['*.lock'] } },
    });
    expect([mode(made.machineFolder), mode(made.machineFile)]).toEqual([0o700, 0o600]);
  });

  it('keeps what others wrote and narrows the mode', async () => {
    const text = '{\n  "theirs": {"x":   1},\n  "oracle": {\n    "future": [1,2]\n  }\n}\n';
    made.write(made.machineFile, text, 0o644);
    expect(await write([cap(5)])).toMatchObject({ created: false, changed: true });
    expect(readFileSync(made.machineFile, 'utf8')).toBe(
      '{\n  "theirs": {"x":   1},\n  "oracle": {\n    "future": [1,2],\n    "bundles": {\n      "cap": 5\n    }\n  }\n}\n',
    );
    expect(mode(made.machineFile)).toBe(0o600);
    expect(readdirSync(made.machineFolder)).toEqual(['config.json']);
  });

  it('writes nothing when nothing changes', async () => {
    await write([cap(5)]);
    const before = statSync(made.machineFile);
    expect(await write([cap(5)])).toMatchObject({ changed: false });
    expect(statSync(made.machineFile).ino).toBe(before.ino);
  });

  it.each<[what: string, edit: Edit, message: RegExp]>([
    ['a cap that is too large', cap('1 GiB'), /oracle\.bundles\.cap is 1073741824 bytes/],
    [
      'an entry that no kind takes',
      { kind: 'set', path: ['oracle', 'bundles', 'projects', 'a'.repeat(40), 'kinds', 'change_review'], value: ['x'] },
      /change_review\[0\] is "x"/,
    ],
    ['a glob that climbs', withhold('../x'), /withhold\[0\] holds "\.\."/],
  ])('refuses %s before the old file is touched', async (_what, edit, message) => {
    made.write(made.machineFile, '{"a": 1}');
    const refusal = await refusalOf(write([edit]));
    expect(refusal.code).toBe('USAGE');
    expect(refusal.message).toMatch(message);
    expect(readFileSync(made.machineFile, 'utf8')).toBe('{"a": 1}');
    expect(readdirSync(made.machineFolder)).toEqual(['config.json']);
  });

  it('speaks of what was typed and not of a line of a file that was never written', async () => {
    const path = ['oracle', 'bundles', 'withhold'];
    const refusal = await refusalOf(
      writeMachineFile({
        facts: made.facts(),
        edits: [withhold('../x'), cap('1 GiB')],
        typed: [
          { path, word: 'GLOB' },
          { path: ['oracle', 'bundles', 'cap'], word: 'SIZE' },
        ],
        uniqueWord: 'test',
      }),
    );
    expect(refusal.message).toMatch(/^GLOB holds "\.\.".*\nSIZE is 1073741824 bytes; .*\. Nothing was written\.$/);
    expect(existsSync(made.machineFile)).toBe(false);
  });

  it('takes a member and an entry back, with what that leaves empty', async () => {
    made.write(made.machineFile, '{\n  "theirs": {},\n  "oracle": {"roles": {}}\n}\n', 0o644);
    const before = readFileSync(made.machineFile, 'utf8');
    const key = 'a'.repeat(40);
    const list = ['oracle', 'bundles', 'projects', key, 'kinds', 'change_review'];
    await write([{ kind: 'set', path: list, value: ['diff'] }, withhold('a'), withhold('b')]);
    await write([
      { kind: 'unset', path: list },
      { kind: 'remove', path: ['oracle', 'bundles', 'withhold'], isEntry: (entry) => entry === 'a' },
    ]);
    expect(JSON.parse(readFileSync(made.machineFile, 'utf8'))).toEqual({
      theirs: {},
      oracle: { roles: {}, bundles: { withhold: ['b'] } },
    });
    await write([{ kind: 'remove', path: ['oracle', 'bundles', 'withhold'], isEntry: () => true }]);
    expect(readFileSync(made.machineFile, 'utf8')).toBe(before);
    expect(mode(made.machineFile)).toBe(0o600);
  });

  it('edits no file that does not read', async () => {
    made.write(made.machineFile, '{"a": 1, "a": 2}');
    expect((await refusalOf(write([cap(5)]))).message).toContain('names a a second time');
    expect(readFileSync(made.machineFile, 'utf8')).toBe('{"a": 1, "a": 2}');
  });

  it('writes through no link and into no folder of others', async () => {
    writeFileSync(join(made.home, 'real.json'), '{}');
    mkdirSync(made.machineFolder, { mode: 0o700 });
    symlinkSync(join(made.home, 'real.json'), made.machineFile);
    expect((await refusalOf(write([cap(5)]))).code).toBe('CONFIG_UNSAFE');
    expect(readFileSync(join(made.home, 'real.json'), 'utf8')).toBe('{}');
    chmodSync(made.machineFolder, 0o777);
    expect((await refusalOf(write([cap(5)]))).code).toBe('CONFIG_UNSAFE');
  });

  it('says so when the folder cannot be made', async () => {
    const facts = made.facts({ homeFolder: join(made.home, 'gone') });
    const refusal = await refusalOf(writeMachineFile({ facts, edits: [cap(5)], typed: [], uniqueWord: 'test' }));
    expect(refusal.code).toBe('CONFIG_UNSAFE');
    expect(refusal.message).toContain('cannot be written (ENOENT)');
    expect(existsSync(join(made.home, 'gone'))).toBe(false);
  });
});

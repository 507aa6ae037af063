import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { type PlanWords, planOf, type ReadItem, readPlan } from '../support/read-plan.js';

let made: MadeRepository;
let opener: TestOpener;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const itemsOf = async (words: PlanWords = {}): Promise<readonly ReadItem[]> =>
  readPlan(await opener.open(made.folder), words);

const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

const NAMES: readonly (readonly [string, Uint8Array, string])[] = [
  ['a newline', bytes('a\nb'), 'a\\nb'],
  ['quotes', bytes('it\'s "quoted"'), 'it\'s "quoted"'],
  ['a backslash', bytes('a\\b'), 'a\\b'],
  ['a leading dash', bytes('--help'), '--help'],
  ['spaces', bytes(' a  b '), ' a  b '],
  ['a colon in front', bytes(':(glob)*'), ':(glob)*'],
  ['bytes outside UTF-8', bytes('caf', 0xe9, '-', 0xff), 'caf\\xe9-\\xff'],
  ['letters outside ASCII', bytes('naïve-日本-😀'), 'naïve-日本-😀'],
  ['an escape sequence', bytes('a', 0x1b, '[31mb'), 'a\\u001b[31mb'],
  ['a turned direction', bytes('a\u202eb'), 'a\\u202eb'],
  ['what looks like a header', bytes('diff --git a b'), 'diff --git a b'],
];

test.each(NAMES)(
  'A name with %s is one item under its printed name, and its section is found.',
  async (_, name, printed) => {
    made.commit('first');
    made.write(name, 'one\n');
    made.commit('second');
    const items = await itemsOf();
    expect(items.map((item) => [item.name, item.text]).slice(1)).toEqual([[printed, 'one\n']]);
    expect(items[0]?.text).toContain('\n+one\n');
    const hidden = await itemsOf({ withhold: ['**'] });
    expect(hidden.map(({ text }) => text)).toEqual([`withheld: ${printed}\n`, `withheld: ${printed}\n`]);
  },
);

test('Names that are not UTF-8 stand in the diff as escapes while the content keeps its own encoding.', async () => {
  made.commit('first');
  made.write(bytes('caf', 0xe9), 'na\u00efve\n');
  made.commit('second');
  const [diff] = await itemsOf();
  expect(diff?.text).toContain('diff --git a/caf\\xe9 b/caf\\xe9\n');
  expect(diff?.text).toContain('+na\u00efve\n');
  expect(diff?.lossy).toBe(0);
});

test('Content that looks like a patch cannot make a section end early.', async () => {
  const forged =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\ndiff --git a/y b/y\nindex 00..11 100644\n';
  made.commit('first', { 'a.txt': `${forged}tail`, 'b.txt': 'b\n' });
  made.commit('second', { 'a.txt': `${forged}${forged}`, 'b.txt': 'c\n', 'secret.key': forged });
  const items = await itemsOf({ withhold: ['secret.key'] });
  const diff = items[0]?.text ?? '';
  expect(diff.match(/^diff --git /gm)).toHaveLength(2);
  expect(diff.endsWith('\n+c\nwithheld: secret.key\n')).toBe(true);
});

describe('Changes that are not text against text', () => {
  test('A changed mode, a change of type, a link, an empty file and a deleted file.', async () => {
    made.write('mode.sh', 'echo\n');
    made.write('type', 'was a file\n');
    made.commit('first', { 'gone.txt': 'gone\n' });
    made.makeExecutable('mode.sh');
    made.remove('type');
    made.remove('gone.txt');
    made.link('type', 'mode.sh');
    made.link('dangling', '../../outside');
    made.commit('second', { empty: '' });
    const items = await itemsOf();
    expect(items.map(({ name, text }) => [name, text]).slice(1)).toEqual([
      ['dangling', '../../outside'],
      ['empty', ''],
      ['mode.sh', 'echo\n'],
      ['type', 'mode.sh'],
    ]);
    expect(items[0]?.text.match(/^diff --git /gm)).toHaveLength(6);
    expect(items[0]?.text).toContain('old mode 100644\nnew mode 100755\n');
  });

  test('A file that becomes a folder, and back.', async () => {
    made.commit('first', { a: 'file\n' });
    made.remove('a');
    made.commit('second', { 'a/b': 'inside\n' });
    expect((await itemsOf()).slice(1).map(({ name }) => name)).toEqual(['a/b']);
    made.remove('a');
    made.commit('third', { a: 'file again\n' });
    expect((await itemsOf({ typed: 'HEAD~1..HEAD' })).slice(1).map(({ name }) => name)).toEqual(['a']);
  });

  test('Line ends and a missing last newline are kept.', async () => {
    made.commit('first', { 'a.txt': 'one\r\ntwo\r\n' });
    made.commit('second', { 'a.txt': 'one\r\nthree\r' });
    const items = await itemsOf();
    expect(items[1]?.text).toBe('one\r\nthree\r');
    expect(items[0]?.text.endsWith(' one\r\n-two\r\n+three\r\n\\ No newline at end of file\n')).toBe(true);
  });
});

const ENCODINGS: readonly (readonly [string, Uint8Array, Partial<ReadItem>])[] = [
  ['a UTF-8 mark', bytes(0xef, 0xbb, 0xbf, 'text\n'), { text: 'text\n', encoding: null }],
  ['Latin-1', Buffer.from('na\u00efve caf\u00e9\n', 'latin1'), { text: 'na\u00efve caf\u00e9\n', encoding: 'latin1' }],
  ['one byte too many', bytes('x'.repeat(200), 0xff), { text: `${'x'.repeat(200)}\ufffd`, lossy: 1, encoding: null }],
  ['NUL', bytes('x'.repeat(200), 0), { text: `${'x'.repeat(200)}\ufffd`, lossy: 1 }],
  ['mostly NUL', Buffer.alloc(50), { omitted: 'binary' }],
];

test.each(ENCODINGS)('A file with %s.', async (_, content, expected) => {
  made.commit('first');
  made.write('file', content);
  made.commit('second');
  expect((await itemsOf())[1]).toMatchObject(expected);
});

test('A UTF-16 file is text in its item and binary in the diff.', async () => {
  made.commit('first');
  made.write('file', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('na\u00efve 😀\n', 'utf16le')]));
  made.commit('second');
  const items = await itemsOf();
  expect(items[1]).toMatchObject({ text: 'na\u00efve 😀\n', encoding: 'utf-16le', lossy: 0 });
  expect(items[0]?.text).toContain('Binary files /dev/null and b/file differ\n');
});

test('A binary file keeps its place as one line that has no hash.', async () => {
  made.commit('first');
  const content = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 256));
  made.write('image.png', content);
  made.commit('second');
  expect((await itemsOf())[1]).toEqual({
    id: 'itm-0002',
    input: 'changed_files',
    name: 'image.png',
    text: 'binary: image.png, 3000 bytes, not shown because more than 1 % of them is no text\n',
    omitted: 'binary',
    lossy: 0,
    encoding: null,
  });
});

describe('Withheld files', () => {
  test('A move is withheld on both sides, under any name, in the diff and among the files.', async () => {
    made.commit('first', { '.env': 'TOKEN=1\n', 'a.txt': 'a\n' });
    made.remove('.env');
    made.commit('second', { 'docs/example.txt': 'TOKEN=1\n', 'a.txt': 'b\n', empty: '' });
    const items = await itemsOf({ withhold: ['.env'] });
    expect(items.map(({ name, omitted }) => [name, omitted]).slice(1)).toEqual([
      ['a.txt', null],
      ['docs/example.txt', 'withheld'],
      ['empty', null],
    ]);
    expect(items[0]?.text.startsWith('withheld: .env\ndiff --git a/a.txt')).toBe(true);
    expect(items.map(({ text }) => text).join('')).not.toContain('TOKEN');
  });

  test('An empty withheld file does not take every other empty file with it.', async () => {
    made.commit('first');
    made.commit('second', { '.env': '', 'also-empty': '' });
    const items = await itemsOf({ withhold: ['.env'] });
    expect(items.slice(1).map(({ omitted }) => omitted)).toEqual(['withheld', null]);
  });

  test('A copy named by a path entry is withheld because the commit holds it under a withheld name.', async () => {
    made.commit('first', { '.env': 'TOKEN=1\n', 'copy.txt': 'TOKEN=1\n', 'a.txt': 'a\n' });
    const repository = await opener.open(made.folder);
    const entries = [{ kind: 'path', glob: '**' }] as const;
    const items = await readPlan(repository, { kind: 'source_question', entries, withhold: ['.env'] });
    expect(items.map(({ name, omitted }) => [name, omitted])).toEqual([
      ['.env', 'withheld'],
      ['a.txt', null],
      ['copy.txt', 'withheld'],
    ]);
  });
});

describe('Bounds', () => {
  test('A file over four times the cap and 64 MiB is refused unread; withheld it is not.', async () => {
    made.commit('first');
    made.write('big.bin', Buffer.alloc(64 * 1024 * 1024 + 1));
    made.commit('second');
    const repository = await opener.open(made.folder);
    await expect(planOf(repository)).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE' });
    expect((await planOf(repository, { withhold: ['big.bin'] })).items).toHaveLength(2);
    expect((await planOf(repository, { capBytes: 20 * 1024 * 1024 })).items).toHaveLength(2);
  });

  const entriesOf = (count: number, name: (at: number) => string): string => {
    const blob = made.git(['hash-object', '-w', '--stdin'], 'x\n');
    return Array.from({ length: count }, (_, at) => `100644 blob ${blob}\t${name(at)}\n`).join('');
  };

  test('More than 100,000 changed files are refused.', async () => {
    const tree = made.git(
      ['mktree'],
      entriesOf(100_001, (at) => `f${String(at).padStart(6, '0')}`),
    );
    made.git(['update-ref', 'refs/heads/main', made.git(['commit-tree', '-m', 'many', tree])]);
    await expect(planOf(await opener.open(made.folder))).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE' });
  });

  test('A path over 4 KiB is refused.', async () => {
    let tree = made.git(
      ['mktree'],
      entriesOf(1, () => 'leaf'),
    );
    for (let at = 0; at < 20; at += 1) {
      tree = made.git(['mktree'], `040000 tree ${tree}\t${'d'.repeat(250)}\n`);
    }
    made.git(['update-ref', 'refs/heads/main', made.git(['commit-tree', '-m', 'deep', tree])]);
    await expect(planOf(await opener.open(made.folder))).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE' });
  });

  test('Thousands of small files come in list order, each with its own bytes.', async () => {
    made.commit('first');
    const count = 5000;
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`f${String(at).padStart(5, '0')}`, `${'y'.repeat(at % 300)}${at}\n`]),
    );
    made.commit('second', files);
    const items = await itemsOf();
    expect(items).toHaveLength(count + 1);
    expect(items.slice(1).every(({ name, text }) => files[name] === text)).toBe(true);
    expect(items[count]?.id).toBe('itm-5001');
  });
});

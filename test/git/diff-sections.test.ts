import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TreeChange } from '../../src/contract/repository.js';
import { splitDiff } from '../../src/git/diff-sections.js';

const id = (at: number): string => String(at).padStart(40, '1');
const NONE = '0'.repeat(40);

const change = (at: number, status: TreeChange['status'] = 'M'): TreeChange => ({
  status,
  path: Buffer.from(`f${at}`),
  oldMode: '100644',
  newMode: status === 'T' ? '120000' : '100644',
  oldId: id(2 * at),
  newId: id(2 * at + 1),
});

const patch = (oldId: string, newId: string, content: string): string =>
  `diff --git a/f b/f\nindex ${oldId}..${newId} 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n${content}`;

const sectionOf = (changed: TreeChange, content: string): string =>
  changed.status === 'T'
    ? patch(changed.oldId, NONE, content) + patch(NONE, changed.newId, content)
    : patch(changed.oldId, changed.newId, content);

async function* inChunks(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const split = async (text: string, changes: readonly TreeChange[], sizes: readonly number[]) => {
  const sections: string[] = [];
  for await (const section of splitDiff(inChunks(text, sizes), changes)) {
    expect(section.change).toBe(sections.length);
    sections.push(Buffer.from(section.bytes).toString());
  }
  return sections;
};

test('Every byte belongs to one section, wherever the chunks end and whatever the content says.', async () => {
  const line = fc.oneof(
    fc.constant(' diff --git a/x b/x\n'),
    fc.constant('+\n'),
    fc.string().map((text) => `+${text.replaceAll('\n', '')}\n`),
  );
  const file = fc.tuple(
    fc.constantFrom('M', 'T', 'A') as fc.Arbitrary<TreeChange['status']>,
    fc.array(line, { maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      async (files, sizes) => {
        const changes = files.map(([status], at) => change(at, status));
        const expected = files.map(([, lines], at) => sectionOf(changes[at] ?? change(at), lines.join('')));
        expect(await split(expected.join(''), changes, sizes)).toEqual(expected);
      },
    ),
  );
});

const two = [change(0), change(1)];

test.each<[string, string]>([
  ['nothing', ''],
  ['one section too few', sectionOf(change(0), '+a\n')],
  ['one section too many', [0, 1, 2].map((at) => sectionOf(change(at), '+a\n')).join('')],
  ['the sections in another order', sectionOf(change(1), '+a\n') + sectionOf(change(0), '+a\n')],
  ['text before the first section', `warning\n${two.map((changed) => sectionOf(changed, '+a\n')).join('')}`],
  ['a section without its objects', 'diff --git a/f b/f\nold mode 100644\nnew mode 100755\n'.repeat(2)],
])('Output with %s is not trusted.', async (_, text) => {
  await expect(split(text, two, [17])).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

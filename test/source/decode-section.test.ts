import { expect, test } from 'vitest';
import { decodeSection } from '../../src/source/decode-section.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const decoded = (section: Uint8Array) => {
  const { parts, lossy } = decodeSection(section);
  return { text: Buffer.concat(parts).toString('utf8'), lossy };
};
const header = 'diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n';

test('A section that is UTF-8 is the very bytes, not a copy.', () => {
  const section = Buffer.from(`${header}@@ -1 +1 @@\n-naïve\n+naif\n`);
  expect(decodeSection(section).parts).toEqual([section]);
  expect(decodeSection(section).parts[0]?.buffer).toBe(section.buffer);
});

test('A change of encoding shows both sides as text.', () => {
  const section = Buffer.concat([
    Buffer.from(`${header}@@ -1 +1 @@\n`),
    latin1('-na\u00efve\n'),
    Buffer.from('+na\u00efve\n'),
  ]);
  expect(decoded(section)).toEqual({ text: `${header}@@ -1 +1 @@\n-na\u00efve\n+na\u00efve\n`, lossy: 0 });
});

test('A few stray bytes become U+FFFD and are counted.', () => {
  const section = Buffer.concat([
    Buffer.from(`${header}@@ -0,0 +1 @@\n+${'x'.repeat(300)}`),
    Buffer.from([0xff, 0x0a]),
  ]);
  expect(decoded(section)).toEqual({ text: `${header}@@ -0,0 +1 @@\n+${'x'.repeat(300)}\ufffd\n`, lossy: 1 });
});

test('Controls that are no text become U+FFFD whatever their number: git took the file for text.', () => {
  const section = Buffer.concat([Buffer.from(`${header}@@ -0,0 +1 @@\n+`), Buffer.from([0xff, 0, 1, 0xfe, 0x0a])]);
  expect(decoded(section)).toEqual({ text: `${header}@@ -0,0 +1 @@\n+\ufffd\ufffd\u0001\ufffd\n`, lossy: 3 });
});

test('A name outside UTF-8 shows its bytes, and the content is judged without it.', () => {
  const named = Buffer.concat([
    latin1('diff --git a/caf\u00e9 b/caf\u00e9\n'),
    Buffer.from('@@ -0,0 +1 @@\n+na\u00efve\n'),
  ]);
  expect(decoded(named)).toEqual({ text: 'diff --git a/caf\\xe9 b/caf\\xe9\n@@ -0,0 +1 @@\n+na\u00efve\n', lossy: 0 });
});

import { expect, test } from 'vitest';
import {
  countListItems,
  findSection,
  firstParagraph,
  headingsOf,
  sectionsOf,
  titleOf,
} from '../../src/kinds/markdown-sections.js';

const text = [
  '# Title #',
  'opening',
  '## One',
  'a',
  '```sh',
  '## no heading, a comment in code',
  '```',
  '### Below',
  'b',
  '##Not a heading',
  '## What\u2019s Two  ',
  '~~~~',
  '## code',
  '~~~',
  '## still code',
  '~~~~',
  'c',
  '# Another title',
  'd',
].join('\n');

test('Headings outside fenced code count, at their level.', () => {
  expect(headingsOf(text).map(({ level, title }) => [level, title])).toEqual([
    [1, 'Title'],
    [2, 'One'],
    [3, 'Below'],
    [2, 'What\u2019s Two'],
    [1, 'Another title'],
  ]);
  expect(titleOf(text)).toBe('Title');
});

test('A section goes to the next heading of its level or above, and its title has a plain apostrophe.', () => {
  expect(sectionsOf(text).map(({ title }) => title)).toEqual(['One', "What's Two"]);
  expect(findSection(text, 'One')?.body.endsWith('b\n##Not a heading')).toBe(true);
  expect(findSection(text, "What's Two")?.body.endsWith('~~~~\nc')).toBe(true);
  expect(findSection(text, 'Below')).toBeNull();
});

test('Line ends of another system change nothing of what is found.', () => {
  const windows = text.replaceAll('\n', '\r\n');
  expect(sectionsOf(windows).map(({ title }) => title)).toEqual(['One', "What's Two"]);
});

test('List items that are part of another are not counted, nor those in code.', () => {
  expect(countListItems('- a\n  - b\n* c\n+ d\n1. e\n2) f\n-no\n```\n- code\n```\n')).toBe(5);
});

test.each([
  ['a\nb\n\nc', 'a b'],
  ['> quoted\n> twice\n\nrest', 'quoted twice'],
  ['\n\n  x  \r\ny\r\n\r\nz', 'x y'],
  ['', ''],
])('The first paragraph of %j is %j.', (source, paragraph) => {
  expect(firstParagraph(source)).toBe(paragraph);
});

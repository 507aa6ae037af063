import { expect, it } from 'vitest';
import type { RecordRow } from '../../../src/contract/record.js';
import { compareRows } from '../../../src/page/show/compare-rows.js';
import { END, START } from '../../record/rows.js';

const row = (body: object, hash: string): RecordRow =>
  ({ v: 1, id: 'rec-a', time: '2026-11-30T00:00:00.000Z', prev: '', hash, ...body }) as RecordRow;

const SHOWN = [row(START, 'one'), row(END, 'two')];

it('rows that the chain holds as they are shown are the same', () => {
  expect(compareRows(SHOWN, structuredClone(SHOWN))).toEqual({ kind: 'same', rows: 2 });
});

it('a run that went on since has its shown rows and more', () => {
  expect(compareRows(SHOWN.slice(0, 1), SHOWN)).toEqual({ kind: 'more', rows: 1, more: 1 });
});

it.each<[what: string, stored: readonly RecordRow[], first: number]>([
  ['another member under the same hash', [row(START, 'one'), row({ ...END, outcome: 'refused' }, 'two')], 2],
  ['another hash', [row(START, 'else'), row(END, 'two')], 1],
  ['a row less', SHOWN.slice(0, 1), 2],
  ['no row at all', [], 1],
])('%s is told with the first row that differs', (_what, stored, first) => {
  expect(compareRows(SHOWN, stored)).toEqual({ kind: 'other', row: first });
});

import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from '../../src/page/route.js';

const ID = `rec-${'abc234'.repeat(4)}az`;

describe('the page’s address', () => {
  it.each([
    ['', { place: 'records', id: null, query: {} }],
    ['#/live', { place: 'live', id: null, query: {} }],
    ['#/nowhere', { place: 'records', id: null, query: {} }],
    [`#/records/${ID}`, { place: 'records', id: ID, query: {} }],
    ['#/records/rec-short', { place: 'records', id: null, query: {} }],
    ['#/records/../live', { place: 'records', id: null, query: {} }],
    ['#/records?code=OVER_CAP&q=a%20b&kind=', { place: 'records', id: null, query: { code: 'OVER_CAP', q: 'a b' } }],
  ])('%j leads to a view', (fragment, route) => expect(parseRoute(fragment)).toEqual(route));

  it('is read as it was written', () => {
    const query = { q: 'ä & b?#', code: 'OVER_CAP' };
    expect(parseRoute(formatRoute('records', null, query)).query).toEqual(query);
    expect(parseRoute(formatRoute('records', ID)).id).toBe(ID);
  });
});

/** Long requests are read in steps, and others have their turns in between; short ones are not interrupted. */
import { describe, expect, it } from 'vitest';
import { readingRequest, readRequest } from '../../src/gate/read-request.js';
import { inTurns, PIECE_BYTES, type Steps } from '../../src/gate/steps.js';
import { leafTexts } from './made-body.js';

const saying = (content: string): Buffer =>
  Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${content}"}]}`);
const MILLION = 1_000_000;
const ESCAPES = '\\u0041'.repeat(MILLION);

/** How often it stands still on the way. */
const stopsOf = (steps: Steps<unknown>): number => {
  let stops = 0;
  while (steps.next().done !== true) stops += 1;
  return stops;
};

describe('a request', () => {
  it.each<[what: string, body: Buffer, walks: number]>([
    ['of a million escapes', saying(ESCAPES), 2],
    ['of a million line ends', saying('a\\n'.repeat(MILLION)), 2],
    ['of JSON in a string, full of escapes', saying(`{\\"a\\":\\"${'\\\\n'.repeat(MILLION)}\\"}`), 4],
    ['with a name of a million escapes', Buffer.from(`{"model":"m","x":{"${ESCAPES}":1}}`), 2],
    ['of a long plain string', saying('word '.repeat(MILLION)), 1],
  ])('%s stands still at every piece of it, each time it is walked', (_what, body, walks) => {
    const stops = stopsOf(readingRequest(body));
    // What a walk has done at its end is the beginning of the next one's piece.
    expect(stops).toBeGreaterThanOrEqual(Math.floor((walks * body.length * 0.8) / PIECE_BYTES));
  });

  it.each<[what: string, values: string]>([
    ['numbers', '1'],
    ['short strings', '"ab"'],
    ['objects', '{"a":1}'],
  ])('of many %s stands still by their number, however short they are written', (_what, value) => {
    const body = Buffer.from(`{"model":"m","x":[${Array.from({ length: 30_000 }, () => value).join(',')}]}`);
    expect(stopsOf(readingRequest(body))).toBeGreaterThan(30);
  });

  it('of 100 KB does not stand still', () => {
    expect(stopsOf(readingRequest(saying('"word"\\n'.replaceAll('"', '\\"').repeat(8_000))))).toBe(0);
  });

  it('reads the same in steps and in one go', async () => {
    const body = saying(`${ESCAPES} and \\ud83d\\ude00`);
    const inSteps = await inTurns(readingRequest(body), new AbortController().signal);
    expect(leafTexts(inSteps)).toEqual(leafTexts(readRequest(body)));
    expect(leafTexts(inSteps).at(-1)).toBe(`${'A'.repeat(MILLION)} and \u{1f600}`);
  });
});

describe('between the steps', () => {
  it('others have their turns, one for each at least', async () => {
    const body = saying(ESCAPES);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await inTurns(readingRequest(body), new AbortController().signal);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(stopsOf(readingRequest(body)) - 1);
  });

  it('a client that leaves ends it with the reason', async () => {
    const leaving = new AbortController();
    const reading = inTurns(readingRequest(saying(ESCAPES)), leaving.signal);
    leaving.abort(new Error('the client left'));
    await expect(reading).rejects.toThrow('the client left');
  });

  it('a body that is refused after some of them is refused the same', async () => {
    const body = Buffer.from(`{"model":"m","x":"${ESCAPES}\\x"}`);
    await expect(inTurns(readingRequest(body), new AbortController().signal)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

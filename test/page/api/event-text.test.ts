import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventReader } from '../../../src/page/api/event-text.js';

const TEXT =
  'event: progress\ndata: {"a":1}\n\n: beat\n\nid: 4\r\ndata: one\r\ndata:two\r\n\r\nevent: ended\rdata: {}\r\r';
const EVENTS = [
  { event: 'progress', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
  { event: 'ended', data: '{}' },
];

describe('server-sent events', () => {
  it('are read with any line end, comments passed over', () => {
    // A last CR may be half of a CR LF, so its line waits for what comes next.
    expect(createEventReader()(`${TEXT}\n`)).toEqual(EVENTS);
  });

  it('are the same however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 8 }), (cuts) => {
        const read = createEventReader();
        const places = [0, ...[...cuts].sort((a, b) => a - b), TEXT.length];
        const pieces = places.slice(1).map((end, at) => TEXT.slice(places[at], end));
        expect([...pieces, '\n'].flatMap((piece) => read(piece))).toEqual(EVENTS);
      }),
    );
  });

  it('that end half way are not told', () => {
    expect(createEventReader()('event: progress\ndata: {"a":')).toEqual([]);
  });
});

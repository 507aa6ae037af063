import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startEventReader } from '../../src/dispatch/event-stream.js';

/** Reads the bytes in the given pieces. */
const read = (bytes: Buffer, cuts: readonly number[], bounds = { eventBytes: 10_000, streamBytes: 100_000 }) => {
  const reader = startEventReader(bounds);
  const events: string[] = [];
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    events.push(...reader.take(bytes.subarray(from, cut)));
    from = cut;
  }
  const last = reader.end();
  return last === null ? events : [...events, last];
};

const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ''));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

describe('an event stream', () => {
  it('reads the same events however its bytes are cut and its lines end', () => {
    const event = fc.array(line, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(event), lineEnd, fc.array(fc.nat()), (events, end, cuts) => {
        const text = events
          .map((lines) => `: note${end}${lines.map((data) => `data: ${data}${end}`).join('')}id: 1${end}${end}`)
          .join('');
        const bytes = Buffer.from(text);
        const expected = events.map((lines) => Buffer.from(lines.join('\n')).toString());
        expect(read(bytes, cuts)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['data without a blank after the colon', 'data:a\n\n', ['a']],
    ['only one blank is taken off', 'data:  a\n\n', [' a']],
    ['data without a colon is an empty line', 'data\n\n', ['']],
    ['an event without data is none', 'event: ping\nid: 3\n\n', []],
    ['a field that only begins like data is none', 'database: a\n\n', []],
    ['a mark at the beginning is no text', '\ufeffdata: a\n\n', ['a']],
    ['a mark later on is text', 'data: a\ufeff\n\n', ['a\ufeff']],
    ['CR and LF in two reads are one line end', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
    ['an event that the end cuts short is still given', 'data: a\n\ndata: b', ['a', 'b']],
    ['nothing', '', []],
  ])('%s', (_title, text, events) => {
    const bytes = Buffer.from(text);
    expect(read(bytes, [])).toEqual(events);
    expect(
      read(
        bytes,
        Array.from(bytes, (_, at) => at),
      ),
    ).toEqual(events);
  });

  it.each([
    ['one line', `data: ${'a'.repeat(100)}`],
    ['one event of many lines', 'data: aaaaaaaaaa\n'.repeat(10)],
    ['the whole stream', ': aaaaaaaaaaaaaa\n\n'.repeat(100)],
  ])('is refused where %s is over its bound', (_title, text) => {
    const bounds = { eventBytes: 90, streamBytes: 1000 };
    expect(() => read(Buffer.from(text), [40], bounds)).toThrow(/over (90|1000) bytes/);
  });

  it('counts an event’s bytes, not its letters', () => {
    const text = `data: ${'ü'.repeat(45)}\n\n`;
    expect(() => read(Buffer.from(text), [], { eventBytes: 90, streamBytes: 1000 })).toThrow(/over 90 bytes/);
  });
});

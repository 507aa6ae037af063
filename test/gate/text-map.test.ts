/** The way between a string as it is written in JSON and the text it stands for, against one that is plain to see. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPace, inOneGo } from '../../src/gate/steps.js';
import { escapedMap, shortEscapedMap } from '../../src/gate/text-map.js';

interface Unit {
  readonly written: string;
  readonly text: string;
}

const hex = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** What stands in a string for one of its characters. */
const unit: fc.Arbitrary<Unit> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', ' ', 'é', '…', '\u{1f600}').map((text) => ({ written: text, text })) },
  fc
    .constantFrom<[string, string]>(['\\n', '\n'], ['\\"', '"'], ['\\\\', '\\'], ['\\/', '/'], ['\\u000a', '\n'])
    .map(([written, text]) => ({ written, text })),
  fc
    .constantFrom('A', 'é', '…')
    .map((text) => ({ written: hex(text.charCodeAt(0)).toUpperCase().replace('\\U', '\\u'), text })),
  fc.constant({ written: `${hex(0xd83d)}${hex(0xde00)}`, text: '\u{1f600}' }),
  // Half of a pair, with something behind it that is no other half.
  fc.constant({ written: `${hex(0xd83d)}.`, text: '\ufffd.' }),
);

/** Each unit's place on both sides; what is written as it is counts byte by byte. */
const placesOf = (units: readonly Unit[]) => {
  let source = 0;
  let text = 0;
  return units
    .flatMap(({ written, text: said }): (readonly [number, number])[] => {
      if (written === said) return Array.from(Buffer.from(said), () => [1, 1] as const);
      if (written.endsWith('.'))
        return [
          [6, 3],
          [1, 1],
        ];
      return [[written.length, Buffer.byteLength(said)]];
    })
    .map(([inSource, inText]) => {
      const place = { source, text, sourceEnd: source + inSource, textEnd: text + inText };
      source += inSource;
      text += inText;
      return place;
    });
};

const units = fc.oneof(
  fc.array(unit, { minLength: 1, maxLength: 40 }),
  // Across several marks.
  fc
    .tuple(fc.array(unit, { minLength: 1, maxLength: 12 }), fc.integer({ min: 20, max: 60 }))
    .map(([some, times]) => Array.from({ length: times }, () => some).flat()),
);

describe.each([
  [
    'in steps',
    (source: Uint8Array, start: number, end: number) => inOneGo(escapedMap(source, { start, end }, createPace())),
  ],
  ['at once', (source: Uint8Array, start: number, end: number) => shortEscapedMap(source, { start, end })],
] as const)('a string that is read %s', (_how, mapOf) => {
  it('is the text that it stands for, and every span of it has its place on the other side', () => {
    fc.assert(
      fc.property(units, fc.nat(), fc.nat(), (made, first, second) => {
        const before = '{"k":"';
        const written = Buffer.from(made.map((one) => one.written).join(''));
        const source = Buffer.concat([Buffer.from(before), written, Buffer.from('"}')]);
        const map = mapOf(source, before.length, before.length + written.length);
        expect(Buffer.from(map.bytes).toString()).toBe(made.map(({ text }) => text).join(''));

        const places = placesOf(made);
        const span = (length: number) => {
          const [start = 0, end = 0] = [first % length, second % length].sort((a, b) => a - b);
          return { start, end: end + 1 };
        };
        const inText = span(map.bytes.length);
        const touched = places.filter((place) => place.text < inText.end && place.textEnd > inText.start);
        expect(map.toSource(inText)).toEqual({
          start: before.length + (touched[0]?.source ?? -1),
          end: before.length + (touched.at(-1)?.sourceEnd ?? -1),
        });
        const inSource = span(written.length);
        const covered = places.filter((place) => place.source < inSource.end && place.sourceEnd > inSource.start);
        expect(map.toText({ start: before.length + inSource.start, end: before.length + inSource.end })).toEqual({
          start: covered[0]?.text,
          end: covered.at(-1)?.textEnd,
        });
      }),
      { numRuns: 500 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BundleText } from '../../src/bundle/bundle-text.js';
import { findSurviving, placeSurvivors, writtenIn } from '../../src/bundle/find-surviving.js';
import type { Framed, FrameItem } from '../../src/bundle/frame.js';
import { frameReading, readingStrings } from '../../src/bundle/frame-reading.js';
import { mergeSpans } from '../../src/bundle/merge-spans.js';
import { numberValues } from '../../src/bundle/number-values.js';
import { BUNDLE_WARNING } from '../../src/contract/bundle.js';
import type { ReadingEnvelope } from '../../src/contract/reading.js';
import { anyTextWithSpans, spanOf, textOf } from '../support/made-texts.js';

const envelope: ReadingEnvelope = {
  runId: 'rdg-7',
  position: 'comparative',
  manifestSha256: 'a'.repeat(64),
  definitionSha256: 'b'.repeat(64),
  assemblerVersion: '1.0.0+sha256:c',
  model: 'some/model',
  contextStamp: 'now "then"',
  preset: { kinds: ['source', 'doc'], records: [], location_narrowings: 3 },
  unscanned: 0,
  withheld: 2,
  binary: 1,
};

const itemOf = (index: number, kind: string, text: BundleText, fields: FrameItem['fields'] = []): FrameItem => {
  const id = `itm-${String(index).padStart(4, '0')}`;
  return { id, input: 'items', omitted: null, name: textOf(kind, { item: id, part: 'name' }), fields, text };
};

const headTexts = (): readonly BundleText[] =>
  readingStrings(envelope).map(({ value, isOurHash }) =>
    textOf(value, {
      item: 'document',
      part: 'head',
      exempt: isOurHash ? [{ start: 0, end: value.length }] : [],
    }),
  );

const frame = (items: readonly FrameItem[], head = headTexts()): Framed =>
  frameReading(
    envelope,
    head,
    items,
    numberValues([
      ...head,
      ...items.flatMap(({ name, fields, text }) => [name, ...fields.map((one) => one.text), text]),
    ]),
  );
const messageOf = (framed: Framed): string => Buffer.from(framed.message).toString('utf8');
const documentOf = (framed: Framed) => {
  const message = messageOf(framed);
  return JSON.parse(message.slice(message.indexOf('\n\n')));
};

describe('frameReading', () => {
  const field = { name: 'field', text: textOf('what "it" is', { part: 'field' }) };
  const items = [itemOf(1, 'source', textOf('a\n"b"\n'), [field]), itemOf(2, 'doc', textOf(''))];

  it('writes one paragraph with the warning, a blank line and one document, members in their order', () => {
    const [instruction = '', ...rest] = messageOf(frame(items)).split('\n\n');
    expect(rest).toHaveLength(1);
    expect(instruction).not.toContain('\n');
    expect(instruction).toContain(BUNDLE_WARNING);
    expect(instruction).toContain('Not shown: 2 withheld, 1 binary, 0 blanked.');
    expect(rest[0]).toBe(
      JSON.stringify({
        _type: 'abcd.reading.dispatch/1',
        run_id: 'rdg-7',
        position: 'comparative',
        regime: 'evaluative',
        manifest_sha256: 'a'.repeat(64),
        definition_sha256: 'b'.repeat(64),
        assembler_version: '1.0.0+sha256:c',
        model: 'some/model',
        bundle: {
          _type: 'abcd.reading.bundle',
          schema_version: 10,
          context_stamp: 'now "then"',
          position: 'comparative',
          preset: { kinds: ['source', 'doc'], records: [], location_narrowings: 3 },
          items: [
            { item_key: 'itm-0001', kind: 'source', field: 'what "it" is', text: 'a\n"b"\n' },
            { item_key: 'itm-0002', kind: 'doc', text: '' },
          ],
        },
      }),
    );
  });

  it('counts the bundle member’s bytes alone', () => {
    const framed = frame(items);
    expect(framed.countedBytes).toBe(Buffer.byteLength(JSON.stringify(documentOf(framed).bundle)));
  });

  it('leaves out what a preset leaves out', () => {
    const bare = { ...envelope, preset: {} };
    const head = readingStrings(bare).map(({ value }) => textOf(value, { part: 'head' }));
    expect(documentOf(frameReading(bare, head, [], new Map())).bundle.preset).toEqual({});
  });

  it('is JSON whatever the texts hold, blanked before it was escaped, and knows where each placeholder stands', () => {
    fc.assert(
      fc.property(fc.array(anyTextWithSpans(), { minLength: 1, maxLength: 5 }), (parts) => {
        const made = parts.map(({ bytes, spans }, at) =>
          itemOf(at + 1, 'k', textOf(bytes, { spans: mergeSpans(spans) })),
        );
        const framed = frame(made);
        const read = documentOf(framed).bundle.items as { text: string }[];
        const at = (start: number, end: number): string => Buffer.from(framed.message.subarray(start, end)).toString();
        framed.items.forEach(({ start, text }, index) => {
          // A span may cut a character here; the pipeline widens it to whole ones.
          expect(read[index]?.text).toBe(Buffer.from(text.bytes).toString('utf8'));
          expect(at(start, start + 13)).toBe('{"item_key":"');
          expect(at(text.place.start - 8, text.place.start)).toBe('"text":"');
          expect(at(text.place.end, text.place.end + 2)).toBe('"}');
          expect(text.written.length).toBe(text.spans.length);
          for (const { start: from } of text.written) expect(at(from, from + 9)).toBe('[blanked ');
        });
      }),
    );
  });

  it('changes nothing when what it wrote is framed once more', () => {
    fc.assert(
      fc.property(anyTextWithSpans(), ({ bytes, spans }) => {
        const once = frame([itemOf(1, 'k', textOf(bytes, { spans: mergeSpans(spans) }))]);
        const again = once.items.map(({ text }) => itemOf(1, 'k', text));
        expect(messageOf(frame(again))).toBe(messageOf(once));
      }),
    );
  });
});

describe('a survivor in a reading’s document', () => {
  const text = 'one\n"tw\u00e9" \t SECRET\u0001 end\n';
  const field = { name: 'candidate', text: textOf('rdi "1"', { part: 'field' }) };
  const framed = frame([itemOf(1, 'source', textOf('first\n')), itemOf(2, 'doc', textOf(text), [field])]);
  const find = (part: string) => {
    const start = Buffer.from(framed.message).indexOf(part);
    return spanOf(start, start + Buffer.byteLength(part), { line: 99 });
  };

  it('is put where it stands in the text itself, with its line there', () => {
    const start = Buffer.byteLength('one\n"tw\u00e9" \t ');
    expect(placeSurvivors(framed, [find('SECRET')])).toMatchObject([
      { part: 'text', itemIndex: 1, span: { start, end: start + 6, line: 2 } },
    ]);
  });

  it('takes the whole character of an escape that it ends in', () => {
    const start = Buffer.byteLength('one\n"tw\u00e9" \t ');
    expect(placeSurvivors(framed, [find('SECRET\\u0')])).toMatchObject([{ span: { start, end: start + 7 } }]);
  });

  it('takes the whole of a string beside the text', () => {
    expect(placeSurvivors(framed, [find('rdi ')])).toMatchObject([
      { part: 'field', itemIndex: 1, fieldIndex: 0, span: { start: 0, end: 7, line: 0 } },
    ]);
    expect(placeSurvivors(framed, [find('some/')])).toMatchObject([{ part: 'head', span: { start: 0, end: 10 } }]);
  });

  it('has no place in the document’s own members, and is none in a hash of ours', () => {
    expect(placeSurvivors(framed, [find('"item_key"')])).toEqual([]);
    expect(findSurviving([find('a'.repeat(64)), find('b'.repeat(64))], writtenIn(framed))).toEqual([]);
    expect(findSurviving([find('a'.repeat(64)), find('some/model')], writtenIn(framed)).length).toBe(1);
  });
});

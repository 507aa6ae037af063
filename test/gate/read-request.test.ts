import { describe, expect, it } from 'vitest';
import { readRequest, refuseAmbiguous } from '../../src/gate/read-request.js';
import { bodyOf, leafTexts, textOf } from './made-body.js';

const chat = (...messages: readonly unknown[]): Uint8Array => bodyOf({ model: 'm', messages });
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');
const user = (content: unknown): unknown => ({ role: 'user', content });
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 1]);

const POSITIONS: readonly [where: string, body: unknown][] = [
  ['a system message', { messages: [{ role: 'system', content: 'needle' }] }],
  ['the system text of the other format', { system: 'needle', messages: [] }],
  ['a part of the system text', { system: [{ type: 'text', text: 'needle' }], messages: [] }],
  ['a user message', { messages: [{ role: 'user', content: 'needle' }] }],
  ['a content part', { messages: [{ role: 'user', content: [{ type: 'text', text: 'needle' }] }] }],
  ['a name', { messages: [{ role: 'user', name: 'needle', content: '' }] }],
  ['a tool call’s arguments', { messages: [{ tool_calls: [{ function: { arguments: '{"a":["needle"]}' } }] }] }],
  ['a key of a tool call’s arguments', { messages: [{ tool_calls: [{ function: { arguments: '{"needle":1}' } }] }] }],
  ['JSON in a string of the arguments', { messages: [{ arguments: JSON.stringify({ a: '{"b":"needle"}' }) }] }],
  ['a tool’s input', { messages: [{ content: [{ type: 'tool_use', input: { a: { b: 'needle' } } }] }] }],
  ['a tool’s result', { messages: [{ content: [{ type: 'tool_result', content: [{ text: 'needle' }] }] }] }],
  ['a tool’s definition', { tools: [{ function: { description: 'needle', parameters: {} } }] }],
  ['a key of a schema', { tools: [{ input_schema: { properties: { needle: { type: 'string' } } } }] }],
  ['a member nobody knows', { messages: [], later: [{ deep: [['needle']] }] }],
  ['a key of the body', { needle: true }],
  ['a file of text', { messages: [{ content: [{ type: 'file', file: { file_data: base64('needle') } }] }] }],
  [
    'a file’s data URL',
    { messages: [{ content: [{ file: { file_data: `data:text/x;base64,${base64('needle')}` } }] }] },
  ],
  ['a document of text', { messages: [{ content: [{ source: { type: 'base64', data: base64('needle') } }] }] }],
  ['a stop word', { stop: ['needle'] }],
];

describe('a request as leaves', () => {
  it.each(POSITIONS)('finds the text of %s', (_where, body) => {
    const texts = leafTexts(readRequest(bodyOf(body)));
    expect(texts).toContain('needle');
  });

  it.each(POSITIONS)('looks at the text of %s alone, and in the JSON around it', (_where, body) => {
    const request = readRequest(bodyOf(body));
    const leaf = leafTexts(request).indexOf('needle');
    const alone = request.surfaces.find(({ form, bytes }) => form === 'text' && textOf(bytes) === 'needle');
    expect(alone?.place({ start: 1, end: 4 })).toEqual([{ leaf, start: 1, end: 4 }]);
    const placed = request.surfaces
      .filter(({ form }) => form === 'json')
      .flatMap(({ bytes, place }) => place({ start: 0, end: bytes.length }));
    expect(placed).toContainEqual({ leaf, start: 0, end: 6 });
  });

  it('names items by role and place and never by their text', () => {
    const body = {
      system: 's',
      messages: [{ role: 'user' }, { role: 'sk-secret' }, 7],
      tools: [{}],
      model: 'm',
      x: 'y',
    };
    expect(readRequest(bodyOf(body)).items.map(({ label }) => label)).toEqual([
      'members',
      'system',
      'messages[0] user',
      'messages[1] other',
      'messages[2] other',
      'tools',
    ]);
  });

  it('counts every byte of the body in one item', () => {
    const body = bodyOf({ system: 'é', messages: [{ role: 'user', content: '\n' }], tools: [], x: [1, 2] });
    expect(readRequest(body).items.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(body.length);
  });

  it('reads the model and leaves it to the owner’s list', () => {
    const request = readRequest(bodyOf({ model: 'vendor/m\u0031', messages: [] }));
    expect(request.model).toBe('vendor/m1');
    expect(request.leaves.find(({ bytes }) => textOf(bytes) === 'vendor/m1')?.isExempt).toBe(true);
  });

  it('takes a number as a leaf that is blanked whole', () => {
    const request = readRequest(bodyOf({ metadata: { card: 4_111_111 } }));
    const leaf = leafTexts(request).indexOf('4111111');
    const at = textOf(request.document.bytes).indexOf('111111');
    expect(request.surfaces[0]?.place({ start: at, end: at + 2 })).toEqual([{ leaf, start: 0, end: 7 }]);
  });

  it('answers nothing for a span of punctuation', () => {
    expect(readRequest(Buffer.from('{ "a" : [ ] }')).surfaces[0]?.place({ start: 5, end: 11 })).toEqual([]);
  });
});

describe('parts that may be one text', () => {
  const joined = (body: Uint8Array): readonly string[] =>
    readRequest(body)
      .surfaces.filter(({ form }) => form === 'joined')
      .map(({ bytes }) => textOf(bytes));

  it.each<[what: string, body: Uint8Array, text: string]>([
    [
      'content parts',
      chat({
        content: [
          { type: 'text', text: 'nee' },
          { type: 'text', text: 'dle' },
        ],
      }),
      'needle',
    ],
    ['parts with another between', chat({ content: [{ text: 'nee' }, { type: 'x' }, { text: 'dle' }] }), 'needle'],
    [
      'arguments of tool calls',
      chat({ tool_calls: ['nee', 'dle'].map((arguments_) => ({ function: { arguments: arguments_ } })) }),
      'needle',
    ],
    ['strings of the arguments', chat({ tool_calls: [{ function: { arguments: '{"a":["nee","dle"]}' } }] }), 'needle'],
    [
      'documents in a list',
      chat({ tool_calls: ['{"k":"nee"}', '{"k":"dle"}'].map((json) => ({ arguments: json })) }),
      'needle',
    ],
    ['stop words', bodyOf({ stop: ['nee', 'dle'] }), 'needle'],
    ['messages of one speaker', chat(user('nee'), user('dle')), 'needle'],
    ['a message and the part of the next', chat(user('nee'), user([{ type: 'text', text: 'dle' }])), 'needle'],
    ['three messages', chat(user('ne'), user('ed'), user('le')), 'needle'],
    ['messages around a system message', chat(user('nee'), { role: 'system', content: 'x' }, user('dle')), 'needle'],
    ['messages around an empty one', chat(user('nee'), { role: 'assistant', content: '' }, user('dle')), 'needle'],
    [
      'system messages wherever they stand',
      chat({ role: 'system', content: 'nee' }, user('x'), { role: 'developer', content: 'dle' }),
      'needle',
    ],
  ])('joins %s', (_what, body, text) => {
    expect(joined(body)).toContain(text);
  });

  it.each<[what: string, messages: readonly unknown[]]>([
    ['two speakers', [user('a'), { role: 'assistant', content: 'b' }]],
    ['one speaker with another between', [user('a'), { role: 'assistant', content: 'b' }, user('c')]],
    ['results of tools', ['a', 'b'].map((content) => ({ role: 'tool', content }))],
    [
      'results of tools as parts, nor a text before them',
      ['a', 'b'].map((content) => user([{ type: 'tool_result', content }])),
    ],
    [
      'what stands around a call',
      [user('a'), { role: 'assistant', content: null, tool_calls: [{ id: 'b' }] }, user('c')],
    ],
  ])('does not join messages of %s', (_what, messages) => {
    expect(joined(chat(...messages))).toEqual([]);
  });

  it('does not join the words of the format', () => {
    expect(
      joined(
        chat({
          tool_calls: [
            { id: 'a', type: 'b' },
            { id: 'c', type: 'd' },
          ],
        }),
      ),
    ).toEqual([]);
  });

  it('maps a span over a seam to both parts', () => {
    const request = readRequest(chat({ content: [{ text: '..nee' }, { text: 'dle..' }] }));
    const [surface] = request.surfaces.filter(({ form }) => form === 'joined');
    const texts = leafTexts(request);
    expect(surface?.place({ start: 2, end: 8 })).toEqual([
      { leaf: texts.indexOf('..nee'), start: 2, end: 5 },
      { leaf: texts.indexOf('dle..'), start: 0, end: 3 },
    ]);
  });

  it('takes of large parts what stands at their seams', () => {
    const large = `${'x'.repeat(50_000)}nee`;
    const request = readRequest(chat({ content: [{ text: large }, { text: 'dle' }] }));
    const [surface] = request.surfaces.filter(({ form }) => form === 'joined');
    expect(surface?.bytes.length).toBe(8192 + 3);
    expect(surface?.place({ start: 8189, end: 8195 })).toEqual([
      { leaf: leafTexts(request).indexOf(large), start: 50_000, end: 50_003 },
      { leaf: leafTexts(request).indexOf('dle'), start: 0, end: 3 },
    ]);
  });
});

describe('what cannot be scanned', () => {
  const opaque = (content: unknown): readonly string[] =>
    readRequest(chat({ role: 'user', content: [content] })).opaque.map(({ what }) => what);

  it.each<[what: string, part: unknown]>([
    ['an image by its address', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
    ['an image as data', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(picture) } }],
    ['audio', { type: 'input_audio', input_audio: { data: base64(picture), format: 'wav' } }],
    ['a file by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a document by its address', { type: 'document', source: { type: 'url', url: 'https://example.com/' } }],
    ['a document that is no text', { type: 'document', source: { type: 'base64', data: base64(picture) } }],
    ['a file that is no text', { type: 'file', file: { file_data: base64(picture) } }],
    ['a data URL that is no text', { type: 'text', text: `data:image/png;base64,${base64(picture)}` }],
    ['an image in a tool’s result', { type: 'tool_result', content: [{ type: 'image', source: {} }] }],
    ['a container’s file', { type: 'container_upload', file_id: 'file-1' }],
    ['a type of tomorrow with data of its own', { type: 'hologram', cells: base64(Buffer.alloc(2000, 0xfe)) }],
  ])('is told of %s', (_what, part) => {
    expect(opaque(part)).not.toEqual([]);
  });

  it.each<[what: string, part: unknown]>([
    ['a text', { type: 'text', text: base64(picture) }],
    [
      'a document of plain text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'abcd' } },
    ],
    ['what the provider sealed itself', { type: 'redacted_thinking', data: base64(Buffer.alloc(3000, 0xfe)) }],
    ['a tool’s argument called file_id', { type: 'tool_use', input: { file_id: 'a', image_url: 'b' } }],
    ['a file that is text', { type: 'file', file: { file_data: base64('hello'), filename: 'a.txt' } }],
  ])('is not told of %s', (_what, part) => {
    expect(opaque(part)).toEqual([]);
  });
});

describe('a body of many values', () => {
  const manyIn = (more: number): Uint8Array => Buffer.from(`{"a":[${'0,'.repeat(more)}0]}`);

  it('is refused before it fills the memory, and says how many it may hold', () => {
    expect(() => readRequest(manyIn(100_000))).toThrow(
      expect.objectContaining({ code: 'ITEM_TOO_LARGE', facts: { most_values: 100_000 } }),
    );
  });

  it('stays text where it stands in a string and does not fit', () => {
    const inside = Buffer.from(manyIn(80_000)).toString();
    const { leaves } = readRequest(bodyOf({ arguments: [inside, inside] }));
    expect(leaves.filter(({ bytes }) => bytes.length === inside.length)).toHaveLength(1);
    expect(leaves.length).toBeLessThan(100_000);
  });
});

describe('a body that is refused', () => {
  it.each<[why: string, body: string | Uint8Array]>([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a string', '"a"'],
    ['two values', '{}{}'],
    ['a comma too many', '{"a":1,}'],
    ['a number that JSON has not', '{"a":01}'],
    ['a word that JSON has not', '{"a":NaN}'],
    ['a control character in a string', '{"a":"\u0001"}'],
    ['an escape that JSON has not', '{"a":"\\x41"}'],
    ['a byte order mark', '\ufeff{}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['lists without end', '['.repeat(100_000)],
    ['lists too deep', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`],
  ])('is %s', (_why, body) => {
    expect(() => readRequest(Buffer.from(body))).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it.each(['Model', 'MODEL', 'mod\\u0065L'])('is ambiguous where another reader takes %s for the model', (name) => {
    const asked = readRequest(Buffer.from(`{"model":"a","${name}":"b"}`));
    expect(() => refuseAmbiguous(asked)).toThrow(/twice/);
  });

  it('may spell the client’s own names twice but for letter case', () => {
    const asked = readRequest(Buffer.from('{"model":"a","tools":[{"parameters":{"id":1,"ID":2}}],"\u212aey":1}'));
    expect(() => refuseAmbiguous(asked)).not.toThrow();
    expect(() => refuseAmbiguous(readRequest(Buffer.from('{"model":"a","key":1,"\u212aey":1}')))).toThrow(/twice/);
  });

  it('is one that two readers could read in two ways', () => {
    expect(() => refuseAmbiguous(readRequest(Buffer.from('{"model":"a","mode\\u006c":"b"}')))).toThrow(/twice/);
    expect(() => refuseAmbiguous(readRequest(Buffer.from('{"messages":[{"role":"user","role":"user"}]}')))).toThrow(
      /twice/,
    );
    expect(() => refuseAmbiguous(readRequest(Buffer.from('{"a":{"b":1},"c":{"b":1}}')))).not.toThrow();
  });

  it('never quotes the body', () => {
    expect(() => readRequest(Buffer.from('{"hunter2":hunter2}'))).toThrow(/^(?!.*hunter2)/s);
  });
});

describe('a body of nothing but escapes', () => {
  it('is read as the text it stands for, and each span of it leads back to its escapes', () => {
    const text = ['A', 'é', '…', '\u{1f600}', '"', '\n', '\ud800'].join('').repeat(500);
    const escaped = [...text].flatMap((letter) =>
      Array.from({ length: letter.length }, (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`),
    );
    const body = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${escaped.join('')}"}]}`);
    const { leaves, surfaces } = readRequest(body);
    const leaf = leaves.findIndex(({ bytes }) => bytes.length > 100);
    // Half of a pair has no UTF-8.
    expect(Buffer.from(leaves[leaf]?.bytes ?? []).toString()).toBe(text.replaceAll('\ud800', '\ufffd'));
    const start = body.indexOf(escaped[0] ?? '');
    const [json] = surfaces;
    expect(json?.place({ start: start + 1, end: start + 13 })).toEqual([{ leaf, start: 0, end: 6 }]);
  });
});

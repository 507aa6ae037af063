/** A known value is found in every form an encoder writes, and code that was named a value is left in sight. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_FINDINGS_IN_TEXT } from '../../src/contract/item-bounds.js';
import type { EchoHit } from '../../src/contract/scan.js';
import { echoFinders, findEchoes } from '../../src/engine/find-echoes.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** A random-looking text from a seed; digits are spread so that no part reads as a word. */
const randomText = (length: number, seed: number, alphabet = ALPHABET): string => {
  let state = (seed >>> 0) + 1;
  let text = '';
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += at % 3 === 2 ? String((state >>> 20) % 10) : (alphabet[(state >>> 8) % alphabet.length] ?? '');
  }
  return text;
};

const needle = (value: string, id = 1) => ({ id, bytes: Buffer.from(value) });
const find = (text: string, ...values: string[]): EchoHit[] =>
  findEchoes(
    Buffer.from(text),
    values.map((value, id) => needle(value, id)),
  ) ?? [];
const without = (text: string, hits: readonly EchoHit[]): string => {
  const bytes = Buffer.from(text);
  let at = 0;
  const parts: Buffer[] = [];
  for (const { start, end } of hits) {
    parts.push(bytes.subarray(at, Math.max(at, start)), Buffer.from('#'));
    at = Math.max(at, end);
  }
  return Buffer.concat([...parts, bytes.subarray(at)]).toString();
};

type Encode = (text: string) => string;
const hexByte = (char: string): string => Buffer.from(char).toString('hex');
const json: Encode = (text) => JSON.stringify(text).slice(1, -1);

const FORMS: readonly (readonly [string, Encode])[] = [
  ['as it is', (text) => text],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 after one byte', (text) => Buffer.from(`:${text}`).toString('base64')],
  ['in base64 after two bytes', (text) => Buffer.from(`u:${text}`).toString('base64')],
  ['in base64url', (text) => Buffer.from(`u:${text}`).toString('base64url')],
  ['in base64 of UTF-16', (text) => Buffer.from(`pw=${text}`, 'utf16le').toString('base64')],
  ['in a URL component', encodeURIComponent],
  ['in a URL', encodeURI],
  ['in a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ['in lower case percent', (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['in JSON', json],
  ['in JSON in JSON', (text) => json(json(text))],
  ['in JSON with escaped slashes', (text) => json(text).replaceAll('/', '\\/')],
  ['in JSON for HTML', (text) => json(text).replaceAll(/[<>&]/g, (char) => `\\u00${hexByte(char)}`)],
  [
    'in HTML',
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['in hex', (text) => Buffer.from(text).toString('hex')],
  ['in upper case hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in SQL', (text) => text.replaceAll("'", "''")],
];

describe('a known value', () => {
  it.each(FORMS)('is found %s, and nothing of it is left', (_title, encode) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0 }),
        fc.integer({ min: 12, max: 70 }),
        fc.string(),
        fc.string(),
        (seed, length, before, after) => {
          const value = randomText(length, seed, `${ALPHABET}!"#$%&'()*+,-./:;<=>?@[]^_{|}~ `);
          const text = `${before}\n${encode(value)}\n${after}`;
          const hits = find(text, value);
          expect(hits.length).toBeGreaterThan(0);
          const start = Buffer.byteLength(`${before}\n`);
          const end = start + Buffer.byteLength(encode(value));
          const own = hits.filter((hit) => hit.start < end && hit.end > start);
          expect(own.length).toBeGreaterThan(0);
          for (const hit of own) {
            expect(hit.start).toBeGreaterThanOrEqual(start);
            expect(hit.end).toBeLessThanOrEqual(end);
            expect(hit.line).toBe(1 + before.split('\n').length);
          }
          expect(find(without(text, hits), value)).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('in base64 goes with the whole groups that hold it', () => {
    const value = randomText(20, 5);
    for (const lead of ['', ':', 'u:', 'us:']) {
      const [hit] = find(`"${Buffer.from(`${lead}${value}`).toString('base64')}"`, value);
      const from = Math.floor(lead.length / 3) * 4;
      const to = Math.ceil((lead.length + value.length) / 3) * 4;
      expect([hit?.start, hit?.end]).toEqual([1 + from, 1 + to]);
    }
  });

  it('is found glued to other characters and next to itself', () => {
    const value = randomText(16, 9);
    expect(find(`abc${value}${value}def`, value)).toEqual([
      { start: 3, end: 19, needleId: 0, line: 1 },
      { start: 19, end: 35, needleId: 0, line: 1 },
    ]);
  });

  it('of several lines is found in a diff of either sign', () => {
    const value = `${randomText(20, 1)}\n${randomText(20, 2)}\n${randomText(20, 3)}`;
    for (const sign of ['+', '-', ' ']) {
      const text = `@@\n${sign}a=${value.replaceAll('\n', `\n${sign}`)}\n`;
      expect(without(text, find(text, value))).toBe(`@@\n${sign}a=#\n`);
    }
  });

  it('shorter than eight bytes is not looked for', () => {
    expect(find('abc1def abc1def', 'abc1def')).toEqual([]);
    expect(findEchoes(Buffer.from('x'), [])).toEqual([]);
  });
});

describe("a key's body", () => {
  const lines = Array.from({ length: 6 }, (_, at) => randomText(64, 100 + at));
  const block = ['-----BEGIN X-----', ...lines, '-----END X-----'].join('\n');
  const PLACES: readonly (readonly [string, string])[] = [
    ['without its frame', lines.join('\n')],
    ['in a diff', lines.map((line) => `+${line}`).join('\n')],
    ['indented', lines.map((line) => `    ${line}`).join('\n')],
    ['in a JSON string', JSON.stringify(lines.join('\n'))],
    ['as a list', JSON.stringify(lines, null, 2)],
    ['on one line', lines.join('')],
    ['on one line with blanks', lines.join(' ')],
  ];
  it.each(PLACES)('is one span %s', (_title, text) => {
    const hits = find(`before ${text} after`, block);
    expect(hits).toHaveLength(1);
    const left = without(`before ${text} after`, hits);
    for (const line of lines) expect(left).not.toContain(line.slice(0, 20));
  });
  it('of which one line alone stands in a text is found there', () => {
    expect(without(`x ${lines[2]} y`, find(`x ${lines[2]} y`, block))).toBe('x # y');
  });
});

describe('a value that reads as code', () => {
  const CODE: readonly string[] = [
    'execSync(command',
    'credentials.password',
    'grantAdminAccess',
    'sha256ToBase64Url',
    'user.isAdmin = true',
  ];
  it.each(CODE)('is left outside quotes and taken inside: %s', (value) => {
    const text = `  return ${value}, 1);\n  token = "${value}"\n  other = '${value}';\n  x("${value}" + y);\n`;
    expect(without(text, find(text, value))).toBe(
      `  return ${value}, 1);\n  token = "#"\n  other = '#';\n  x("#" + y);\n`,
    );
  });
  it('but has digits like a password is taken where nothing uses it', () => {
    const value = 'Sup3rSecretPassw0rd';
    const text = `DB_PASS=${value}\npassword: ${value}\nlog in as root / ${value} now\n${value}(1); x.${value}; f(${value})`;
    expect(without(text, find(text, value))).toBe(
      `DB_PASS=#\npassword: #\nlog in as root / # now\n${value}(1); x.${value}; f(${value})`,
    );
    expect(find(`A=${value}!x`, `${value}!x`)).toHaveLength(1);
  });
  it.each([
    'const a = # + 1;',
    'a = #',
    'a=#;',
    'let b=# || c',
    'if #:',
    'raise #',
    'return x + #',
    '  url: #,',
    '  { url: # }',
    'options = {\n  url: #\n}',
    'export { # };',
    'items[#]',
    '# = 3',
    '# += 3',
    '#: string;',
    'case #:',
    '<# name="x" />',
  ])('is left where it is an identifier with digits: %s', (form) => {
    for (const value of ['sha256ToBase64Url', 'parseUtf8Header2', 'getUser2ByName']) {
      const text = `+${form.replaceAll('#', value)}\n`;
      expect(without(text, find(text, value))).toBe(text);
    }
  });
  it.each([
    'DB_PASS=#',
    'export DB_PASS=#',
    'db_pass: #',
    '- value: #',
    'the password is #',
    'log in as root / # now.',
    'curl -u root:#',
  ])('is taken where it is text: %s', (form) => {
    for (const value of ['Sup3rSecretPassw0rd', 'Summer2024Holiday']) {
      const text = `+${form.replaceAll('#', value)}\n`;
      expect(without(text, find(text, value))).toBe(`+${form}\n`);
    }
  });
  it('is found in its encoded forms', () => {
    const encoded = Buffer.from('grantAdminAccess').toString('base64');
    expect(find(`a ${encoded} b`, 'grantAdminAccess')).toHaveLength(1);
  });
  it('is not any value that is random', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), fc.integer({ min: 12, max: 40 }), (seed, length) => {
        const value = randomText(length, seed);
        expect(find(`return ${value};`, value)).toHaveLength(1);
      }),
    );
  });
});

describe('many values', () => {
  it('are each found, and only where they stand', () => {
    const values = Array.from({ length: 3000 }, (_, at) => randomText(12 + (at % 40), 7919 * at));
    const text = values.map((value, at) => `line ${at}: ${value}`).join('\n');
    const hits = find(text, ...values);
    expect(hits.map(({ needleId, line }) => [needleId, line])).toEqual(values.map((_, at) => [at, at + 1]));
  });
  it('are indexed once for as long as they are the same', () => {
    const finders = echoFinders();
    const [one, two] = [randomText(20, 1), randomText(20, 2)];
    const finder = finders([needle(one)]);
    expect(finders([needle(one)])).toBe(finder);
    expect(finders([needle(one, 2)])).not.toBe(finder);
    expect(finders([needle(one), needle(two, 2)]).find(Buffer.from(two))).toHaveLength(1);
    expect(finders([]).find(Buffer.from(one))).toEqual([]);
  });
  it('that share beginnings and ends are told apart', () => {
    const head = randomText(40, 1);
    const tail = randomText(40, 2);
    const values = Array.from({ length: 200 }, (_, at) => `${head}${randomText(6 + (at % 5), 31 * at)}${tail}`);
    const text = values.join('\n');
    expect(find(text, ...values).map(({ needleId }) => needleId)).toEqual(values.map((_, at) => at));
  });
  it('agree with a search for each value on its own', () => {
    const word = fc
      .array(fc.constantFrom('a', 'b', '1', '2'), { minLength: 8, maxLength: 14 })
      .map((chars) => chars.join(''));
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.array(fc.oneof(word, fc.constantFrom('a', '1', '\n')), { maxLength: 40 }),
        (values, parts) => {
          const text = parts.join('');
          const covered = new Set<number>();
          for (const hit of find(text, ...values)) for (let at = hit.start; at < hit.end; at += 1) covered.add(at);
          const expected = new Set<number>();
          for (const value of values) {
            for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
              for (let on = at; on < at + value.length; on += 1) expected.add(on);
            }
          }
          for (const at of expected) expect(covered.has(at)).toBe(true);
        },
      ),
    );
  });

  it('that stand more often than one text may have findings are no list, whatever the list would be', () => {
    const value = randomText(24, 77);
    const most = Buffer.from(`${value} `.repeat(MOST_FINDINGS_IN_TEXT));
    expect(findEchoes(most, [needle(value)])).toHaveLength(MOST_FINDINGS_IN_TEXT);
    expect(findEchoes(Buffer.concat([most, Buffer.from(value)]), [needle(value)])).toBeNull();
  });
});

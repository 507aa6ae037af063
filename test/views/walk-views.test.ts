/** Views find what is encoded, map it back to whole escapes and groups, and never decode without end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewLimits } from '../../src/views/view-limits.js';
import { type ViewText, walkViews } from '../../src/views/walk-views.js';

const stillClock = (): number => 0;

interface Sighting {
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Where the secret stands in a view of the item. */
const sightings = (item: Uint8Array, secret: string): Sighting[] => {
  const found: Sighting[] = [];
  const needle = Buffer.from(secret);
  const result = walkViews(item, viewLimits(item.length, stillClock), (view: ViewText) => {
    const bytes = Buffer.from(view.bytes);
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
      found.push({ names: view.names, ...view.toItem(at, at + needle.length) });
    }
  });
  expect(result.ok).toBe(true);
  return found;
};

const viewsOf = (text: string): string[] => {
  const item = Buffer.from(text);
  const views: string[] = [];
  walkViews(item, viewLimits(item.length, stillClock), (view) => views.push(Buffer.from(view.bytes).toString()));
  return views;
};

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const cut = (item: Uint8Array, { start, end }: { start: number; end: number }): Buffer =>
  Buffer.concat([item.subarray(0, start), Buffer.from('[x]'), item.subarray(end)]);

type Encode = (text: string) => string;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const eachByte = (text: string, write: (code: number) => string): string => [...Buffer.from(text)].map(write).join('');
const eachUnit = (text: string, write: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, i) => write(text.charCodeAt(i))).join('');
const wrap = (text: string, width: number, between: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []).join(between);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const FORMS: readonly (readonly [string, string, Encode])[] = [
  ['percent, every byte', 'percent', (text) => eachByte(text, (code) => `%${hex(code, 2)}`)],
  ['percent, upper case', 'percent', (text) => eachByte(text, (code) => `%${hex(code, 2).toUpperCase()}`)],
  ['JSON escapes of every unit', 'escape', (text) => eachUnit(text, (code) => `\\u${hex(code, 4)}`)],
  ['code points in braces', 'escape', (text) => eachByte(text, (code) => `\\u{${hex(code, 2)}}`)],
  ['hex escapes', 'escape', (text) => eachByte(text, (code) => `\\x${hex(code, 2)}`)],
  ['octal escapes', 'escape', (text) => eachByte(text, (code) => `\\${code.toString(8).padStart(3, '0')}`)],
  ['decimal references', 'html', (text) => eachUnit(text, (code) => `&#${code};`)],
  ['hexadecimal references', 'html', (text) => eachUnit(text, (code) => `&#x${hex(code, 2)};`)],
  ['base64', 'base64', base64],
  ['base64 without padding', 'base64', (text) => base64(text).replace(/=+$/, '')],
  ['base64url', 'base64', (text) => Buffer.from(text).toString('base64url')],
  ['hex', 'hex', (text) => Buffer.from(text).toString('hex')],
  ['hex in upper case', 'hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  [
    'quoted-printable',
    'quoted-printable',
    (text) => `k=3D${eachByte(text, (code) => `=${hex(code, 2).toUpperCase()}`)}`,
  ],
  ['a soft line end in a short line', 'quoted-printable', (text) => `a\n7${text.slice(0, 12)}=\n${text.slice(12)}\n`],
  ['zero-width spaces', 'invisible', (text) => wrap(text, 5, '\u200b')],
  ['joiners and a soft hyphen', 'invisible', (text) => wrap(text, 7, '\u200d\u00ad')],
  ['direction marks', 'invisible', (text) => wrap(text, 6, '\u200f\u202a')],
  ['isolates in a JSON string', 'invisible', (text) => wrap(text, 8, '\\u2066')],
  ['variation selectors and tags', 'invisible', (text) => wrap(text, 5, '\ufe0f\u{e0041}')],
  ['a filler and an invisible operator', 'invisible', (text) => wrap(text, 5, '\u3164\u2063')],
  ['named references of what is invisible', 'invisible', (text) => wrap(text, 9, '&rlm;&shy;')],
  ['the reset of tput', 'invisible', (text) => wrap(text, 9, '\u001b(B\u001b[m')],
  ['colour codes', 'invisible', (text) => wrap(text, 9, '\u001b[m\u001b[K\u001b[01;31m')],
  [
    'full-width characters',
    'invisible',
    (text) => eachUnit(text, (code) => String.fromCharCode(code > 32 && code < 127 ? code + 0xfee0 : code)),
  ],
  ['colour codes in a JSON string', 'invisible', (text) => wrap(text, 9, '\\u001b[0m')],
  ['joined strings', 'joined', (text) => `"${text.slice(0, 7)}" + "${text.slice(7)}"`],
  ['joined strings on two lines', 'joined', (text) => `"${text.slice(0, 7)}"\n      "${text.slice(7)}"`],
  ['a continued line', 'escape', (text) => `${text.slice(0, 7)}\\\n  ${text.slice(7)}`],
  ['big-endian UTF-16 in base64', 'utf-16', (text) => Buffer.from(text, 'utf16le').swap16().toString('base64')],
  ['UTF-16 with a mark in base64', 'utf-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').toString('base64')],
  ['UTF-16 in hex', 'utf-16', (text) => Buffer.from(text, 'utf16le').toString('hex')],
  ['base64 with escaped slashes', 'base64', (text) => base64(`${text}???>>>`).replaceAll('/', '\\/')],
  ['base64 in percent', 'base64', (text) => encodeURIComponent(base64(`${text}???`))],
  ['base64 in joined strings', 'base64', (text) => `"${wrap(base64(text), 20, '" +\n  "')}"`],
  [
    'wrapped base64 in a JSON string',
    'base64',
    (text) => JSON.stringify(wrap(base64(`${'lorem ipsum '.repeat(4)}${text}${' dolor'.repeat(9)}`), 44, '\n')),
  ],
  ['base64 of UTF-16', 'utf-16', (text) => Buffer.from(text, 'utf16le').toString('base64')],
];

const secretText = fc
  .array(fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'), {
    minLength: 20,
    maxLength: 60,
  })
  .map((chars) => chars.join(''));
const surrounding = fc
  .array(
    fc.oneof(
      fc.constantFrom('name: ', 'x = ', '\n', 'é', '😀', ' ', '"', '<b>', 'lorem ipsum ', '{', '}\r\n'),
      fc.string(),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('').replaceAll(/[%\\&=]/g, ' '));

describe('a secret in one encoded form', () => {
  it.each(FORMS)('is whole in a view and gone once its range is blanked: %s', (_title, name, encode) => {
    fc.assert(
      fc.property(secretText, surrounding, surrounding, (secret, before, after) => {
        const item = Buffer.from(`${before} ${encode(secret)} ${after}`);
        const found = sightings(item, secret).filter(({ names }) => names.includes(name));
        expect(found.length).toBeGreaterThan(0);
        const encodedStart = Buffer.byteLength(`${before} `);
        const encodedEnd = encodedStart + Buffer.byteLength(encode(secret));
        for (const hit of found) {
          expect(hit.start).toBeGreaterThanOrEqual(encodedStart);
          expect(hit.end).toBeLessThanOrEqual(encodedEnd);
          const blanked = cut(item, hit);
          expect(sightings(blanked, secret)).toEqual([]);
          expect(sightings(blanked, secret.slice(0, 12))).toEqual([]);
          expect(sightings(blanked, secret.slice(-12))).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a secret in forms inside forms', () => {
  const layers: readonly Encode[] = [
    (text) => `q=${encodeURIComponent(text).replaceAll('_', '%5F')}`,
    (text) => JSON.stringify({ a: `"${text}"` }),
    base64,
    (text) => Buffer.from(text).toString('base64url'),
    (text) => Buffer.from(text).toString('hex'),
    (text) => `<a b="${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('_', '&#95;')}">`,
  ];
  it('is found to depth 5', () => {
    fc.assert(
      fc.property(secretText, fc.array(fc.constantFrom(...layers), { minLength: 1, maxLength: 5 }), (secret, chain) => {
        // Escapes of one form are undone three times at most.
        fc.pre(layers.every((layer) => chain.filter((encode) => encode === layer).length <= 3));
        const item = Buffer.from(chain.reduce((text, encode) => encode(text), `"${secret}_"`));
        const found = sightings(item, secret);
        const plain = item.includes(secret);
        expect(found.length > 0 || plain).toBe(true);
        for (const hit of found) expect(sightings(cut(item, hit), secret)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('base64 glued to other characters', () => {
  it('is decoded at every alignment', () => {
    fc.assert(
      fc.property(
        secretText,
        fc.stringMatching(/^[A-Za-z0-9_/-]{0,9}$/),
        fc.stringMatching(/^[A-Za-z0-9_/-]{0,9}$/),
        (secret, before, after) => {
          const item = Buffer.from(`x ${before}${base64(`k=${secret};;`.padEnd(66, ';'))}${after} y`);
          const found = sightings(item, secret);
          expect(found.length).toBeGreaterThan(0);
          for (const hit of found) expect(sightings(cut(item, hit), secret.slice(0, 12))).toEqual([]);
        },
      ),
    );
  });

  it('that is a picture has next to no view', () => {
    let state = 1;
    const noise = Buffer.from(
      Array.from({ length: 30_000 }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state >>> 24;
      }),
    );
    for (const text of [base64Of(noise), wrap(base64Of(noise), 76, '\n')]) {
      const views = viewsOf(`<img src="data:image/png;base64,${text}">`);
      // A dozen bytes of noise in a row are printable now and then.
      expect(views.join('').length).toBeLessThan(text.length / 40);
    }
  });
});

describe('a view', () => {
  it('holds the name before the value and the line above it', () => {
    const item = `- name: DB_PASSWORD\n  value: ${base64('correct horse battery')}\nother: 1\n`;
    expect(viewsOf(item)).toContain('- name: DB_PASSWORD\n  value: correct horse battery\n');
    const [url] = viewsOf(`curl "https://user:p%40ss%2Fword@host/x"\n`);
    expect(url).toBe('curl "https://user:p@ss/word@host/x"\n');
  });

  it('says which of its bytes decoding made', () => {
    const item = Buffer.from('name=value%21 rest "ab" + "cd"');
    const seen: (readonly [string, boolean, boolean])[] = [];
    walkViews(item, viewLimits(item.length, stillClock), (view) => {
      const bytes = Buffer.from(view.bytes);
      const changed = view.names.includes('percent') ? bytes.indexOf('value!') : bytes.indexOf('abcd');
      seen.push([view.names.join(), view.decodes(0, 4), view.decodes(changed, changed + 6)]);
    });
    expect(seen).toEqual([
      ['percent', false, true],
      ['joined', false, true],
      ['joined,percent', false, true],
    ]);
  });

  it('maps an empty range to an empty range', () => {
    const item = Buffer.from('a%41b');
    walkViews(item, viewLimits(item.length, stillClock), (view) => {
      expect(view.toItem(1, 1)).toEqual({ start: 1, end: 1 });
      expect(view.toItem(1, 2)).toEqual({ start: 1, end: 4 });
      expect(view.toItem(0, 3)).toEqual({ start: 0, end: 5 });
    });
  });

  it('of bytes that are no UTF-8 is text that a pattern can cross', () => {
    const item = Buffer.from('password = "gr\u00fcn-1234-abcd"\n', 'latin1');
    const found = sightings(item, 'gr\u00fcn-1234-abcd');
    expect(found).toEqual([{ names: ['latin-1'], start: 12, end: 26 }]);
  });
});

describe('base64 on several lines', () => {
  const PREFIXES: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['indentation', '    '],
    ['a plus sign', '+'],
    ['a minus sign', '-'],
    ['a plus sign and indentation', '+   '],
    ['a comment mark', '# '],
    ['a quoting mark', '> '],
  ];
  it.each(PREFIXES)('is decoded over line ends behind %s', (_title, prefix) => {
    fc.assert(
      fc.property(
        secretText,
        fc.constantFrom(44, 60, 64, 76),
        fc.constantFrom('\n', '\r\n'),
        (secret, width, lineEnd) => {
          const text = `${'lorem ipsum '.repeat(4)}${secret}${' dolor sit amet'.repeat(9)}`;
          const item = Buffer.from(`${prefix}${wrap(base64(text), width, `${lineEnd}${prefix}`)}${lineEnd}`);
          const found = sightings(item, secret);
          expect(found.length).toBeGreaterThan(0);
          for (const hit of found) expect(sightings(cut(item, hit), secret.slice(0, 12))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

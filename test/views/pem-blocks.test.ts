/** Key blocks are taken whole in every rendering; frame lines in prose and code between frame lines are not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPemBlocks, MOST_LINES_WITHOUT_END } from '../../src/views/pem-blocks.js';

/** Body text from a seed: a generator of its own, so that no key stands in this file. */
const bodyText = (length: number, seed: number): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let state = seed >>> 0 || 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += alphabet[state >>> 26];
  }
  return text;
};

const linesOf = (text: string, width: number): string[] => text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
const mark = (edge: string, label: string): string => `-----${edge} ${label}-----`;
const keyLines = (label: string, length = 400, seed = 7, width = 64): string[] => [
  mark('BEGIN', label),
  ...linesOf(`${bodyText(length, seed)}==`, width),
  mark('END', label),
];

const find = (text: string) => findPemBlocks(Buffer.from(text));
const taken = (text: string): string[] =>
  find(text).blocks.map(({ start, end }) => Buffer.from(text).subarray(start, end).toString());
const RSA = `RSA ${'PRIVATE'} KEY`;
const PLAIN = `${'PRIVATE'} KEY`;

type Render = (lines: readonly string[]) => string;
const each = (lines: readonly string[], write: (line: string, index: number) => string, between: string): string =>
  lines.map(write).join(between);

const RENDERINGS: readonly (readonly [string, Render])[] = [
  ['as it is', (lines) => lines.join('\n')],
  ['with CRLF', (lines) => lines.join('\r\n')],
  ['indented', (lines) => each(lines, (line) => `    ${line}`, '\n')],
  ['in YAML', (lines) => `key: |\n${each(lines, (line) => `  ${line}`, '\n')}\nother: 1\n`],
  ['added by a diff', (lines) => each(lines, (line) => `+${line}`, '\n')],
  ['removed by a diff', (lines) => each(lines, (line) => `-${line}`, '\n')],
  ['added and indented', (lines) => each(lines, (line) => `+\t${line}`, '\n')],
  ['changed by a diff', (lines) => each(lines, (line, i) => `${i % 3 === 1 ? '-' : ' '}${line}`, '\n')],
  ['commented with #', (lines) => each(lines, (line) => `# ${line}`, '\n')],
  ['commented with //', (lines) => each(lines, (line) => `// ${line}`, '\n')],
  ['commented with *', (lines) => `/**\n${each(lines, (line) => ` * ${line}`, '\n')}\n */`],
  ['quoted in a mail', (lines) => each(lines, (line) => `> ${line}`, '\n')],
  [
    'behind a log prefix',
    (lines) => each(lines, (line, i) => `2024-01-02T03:04:${10 + i}Z host-1 app[${i}]: ${line}`, '\n'),
  ],
  ['in JSON log lines', (lines) => each(lines, (line, i) => `{"at":${100 + i},"msg":"${line}"}`, '\n')],
  ['in a JSON string', (lines) => JSON.stringify({ key: `${lines.join('\n')}\n` })],
  ['in JSON with CRLF', (lines) => JSON.stringify({ key: lines.join('\r\n') })],
  ['in JSON in JSON', (lines) => JSON.stringify({ a: JSON.stringify({ key: lines.join('\n') }) })],
  ['in JSON with escaped slashes', (lines) => JSON.stringify({ k: lines.join('\n') }).replaceAll('/', '\\/')],
  ['in JSON for HTML', (lines) => JSON.stringify({ k: lines.join('\n') }).replaceAll('+', '\\u002b')],
  ['as a list of lines', (lines) => JSON.stringify(lines, null, 2)],
  ['as a list on one line', (lines) => JSON.stringify(lines)],
  ['as joined strings', (lines) => each(lines, (line) => `    "${line}\\n"`, ' +\n')],
  ['as PHP strings', (lines) => each(lines, (line) => `'${line}'`, ' .\n  ')],
  ['as C strings', (lines) => each(lines, (line) => `  "${line}\\n"`, '\n')],
  ['on one line with blanks', (lines) => lines.join(' ')],
  ['on one line without anything', (lines) => lines.join('')],
  ['with the body on the header line', (lines) => `${lines[0]}${lines.slice(1, -1).join('')}${lines.at(-1)}`],
  ['with br tags', (lines) => lines.join('<br>')],
  ['with closed br tags and line ends', (lines) => lines.join('<br />\n')],
  ['in table cells', (lines) => each(lines, (line) => `<tr><td class="a b">${line}</td></tr>`, '\n')],
  ['in XML with references', (lines) => `<key>${lines.join('&#xD;\n')}</key>`],
  ['in XML with line references', (lines) => `<key a="${lines.join('&#10;')}"/>`],
  ['with an escaped plus', (lines) => lines.join('\n').replaceAll('+', '&#43;')],
  ['in a form', (lines) => `k=${encodeURIComponent(lines.join('\n')).replaceAll('%20', '+').replaceAll('%2F', '/')}`],
  ['with continued lines', (lines) => lines.join('\\n\\\n')],
  ['beside another value', (lines) => `KEY="${lines.join('\n')}"\nNEXT="value"`],
];

describe('a private key block', () => {
  it.each(RENDERINGS)('is one block from BEGIN to END %s', (_title, render) => {
    for (const label of [RSA, PLAIN]) {
      for (const [length, width, seed] of [
        [400, 64, 3],
        [1600, 64, 5],
        [120, 76, 11],
      ] as const) {
        const lines = keyLines(label, length, seed, width);
        const text = `before\n${render(lines)}\nafter`;
        const spans = taken(text);
        expect(spans).toHaveLength(1);
        const [span = ''] = spans;
        const bare = (value: string): string => value.replaceAll(/[ +_]/g, '');
        expect(bare(span).startsWith(bare(lines[0] ?? ''))).toBe(true);
        expect(bare(span).endsWith(bare(lines.at(-1) ?? ''))).toBe(true);
      }
    }
  });

  const LABELS: readonly (readonly [string, string])[] = [
    ['', 'pem:private_key'],
    ['RSA ', 'pem:rsa_private_key'],
    ['DSA ', 'pem:dsa_private_key'],
    ['EC ', 'pem:ec_private_key'],
    ['OPENSSH ', 'pem:openssh_private_key'],
    ['ENCRYPTED ', 'pem:encrypted_private_key'],
    ['NEBULA ED25519 ', 'pem:private_key'],
  ];
  it.each(LABELS)('labelled "%s" is of kind %s', (word, kind) => {
    const [block] = find(keyLines(`${word}${PLAIN}`).join('\n')).blocks;
    expect(block?.kind).toBe(kind);
    expect(block?.label).toBe(`${word}${PLAIN}`);
    expect(block?.ruleId).toBe(kind.replaceAll(/[:_]/g, '-'));
  });

  it('with encryption headers is taken whole', () => {
    const [begin = '', ...rest] = keyLines(RSA);
    const headers = ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-128-CBC,${'0F'.repeat(16)}`, ''];
    for (const between of ['\n', '\\n']) {
      const text = [begin, ...headers, ...rest].join(between);
      expect(taken(`x ${text} y`)).toEqual([text]);
    }
  });

  it('of PGP with version and checksum is taken whole', () => {
    const label = `PGP ${PLAIN} BLOCK`;
    const [begin = '', ...body] = keyLines(label);
    const end = body.pop() ?? '';
    const text = [begin, 'Version: GnuPG v2', '', ...body, '=Ab1d', end].join('\n');
    expect(taken(text)).toEqual([text]);
    expect(find(text).blocks[0]?.kind).toBe('pem:pgp_private_key');
  });

  it('of OpenVPN is taken whole', () => {
    const label = 'OpenVPN Static key V1';
    const lines = linesOf(bodyText(512, 13).replaceAll(/[^0-9a-f]/g, '0'), 32);
    const text = [mark('BEGIN', label), ...lines, mark('END', label)].join('\n');
    expect(find(text).blocks).toMatchObject([{ start: 0, end: text.length, kind: 'pem:openvpn_static_key' }]);
  });

  it('of RFC 4716 with four dashes is taken whole', () => {
    const label = `SSH2 ENCRYPTED ${PLAIN}`;
    const lines = [
      `---- BEGIN ${label} ----`,
      'Comment: "a comment"',
      ...linesOf(bodyText(300, 9), 70),
      `---- END ${label} ----`,
    ];
    expect(taken(`${lines.join('\n')}\n`)).toEqual([lines.join('\n')]);
  });

  it('without an END is taken as far as its body is evident', () => {
    const lines = keyLines(RSA, 400).slice(0, -1);
    const text = `${lines.join('\n')}\n@@ -1,3 +1,3 @@\nint main(void) {`;
    expect(taken(text)).toEqual([lines.join('\n')]);
    expect(taken(`${lines.join('\n')}\nand then some prose`)).toEqual([lines.join('\n')]);
  });

  it('whose BEGIN is out of sight is taken from its first line in sight', () => {
    const lines = keyLines(RSA, 400).slice(3);
    expect(taken(`@@ -4 +4 @@\n${lines.join('\n')}\n`)).toEqual([lines.join('\n')]);
    const diff = lines.map((line) => `+${line}`).join('\n');
    expect(taken(`@@ -4 +4 @@\n${diff}\n`)).toEqual([diff.slice(1)]);
  });

  it.each<[how: string, number: (line: number) => string]>([
    ['an arrow', (line) => `${String(line).padStart(6)}\u2192`],
    ['a tab', (line) => `${String(line).padStart(6)}\t`],
    ['a bar', (line) => `${String(line).padStart(4)} | `],
    ['a colon', (line) => `${line}:`],
    ['nothing that sets them right', (line) => `L${line}: `],
  ])(
    'is taken in a part of a file whose lines are numbered with %s, from 8 to 12 and from 98 to 102',
    (_how, number) => {
      const body = linesOf(bodyText(64 * 5, 3), 64);
      for (const first of [8, 98]) {
        const show = (lines: readonly string[]): string => each(lines, (line, i) => number(first + i) + line, '\n');
        for (const lines of [
          [mark('BEGIN', RSA), ...body.slice(1)],
          [...body.slice(1), mark('END', RSA)],
        ]) {
          const [block] = taken(`${show(lines)}\n`);
          expect(lines.filter((line) => block?.includes(line) !== true)).toEqual([]);
        }
      }
    },
  );

  it('that follows another is a block of its own', () => {
    const one = keyLines(RSA, 300, 1).join('\n');
    const two = keyLines(PLAIN, 300, 2).join('\n');
    expect(taken(`${one}\n${two}`)).toEqual([one, two]);
    expect(taken(`${one}${two}`)).toEqual([one, two]);
  });

  it('is found wherever it stands in any text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.nat(),
        fc.integer({ min: 64, max: 900 }),
        (before, after, seed, length) => {
          const key = keyLines(RSA, length, seed).join('\n');
          const found = taken(`${before.replaceAll('-', '')}\n${key}\n${after.replaceAll('-', '')}`);
          expect(found).toEqual([key]);
        },
      ),
    );
  });
});

describe('what is no private key block', () => {
  const NONE: readonly (readonly [string, string])[] = [
    ['a header named in prose', `A file that starts with ${mark('BEGIN', RSA)} holds a key.`],
    ['both frame lines in prose', `Put it between ${mark('BEGIN', RSA)} and ${mark('END', RSA)} lines.`],
    ['an empty block', `${mark('BEGIN', RSA)}\n${mark('END', RSA)}`],
    ['a template', `${mark('BEGIN', RSA)}\n{{ .Values.key }}\n${mark('END', RSA)}`],
    ['an elided body', `${mark('BEGIN', RSA)}\n...\n${mark('END', RSA)}`],
    [
      'a check in code',
      `if (text.startsWith('${mark('BEGIN', PLAIN)}')) {\n  return parsePrivateKeyFromText(text);\n}`,
    ],
    ['a certificate', keyLines('CERTIFICATE').join('\n')],
    ['a public key', keyLines('PUBLIC KEY').join('\n')],
    [
      'code between two frame lines',
      `// ${mark('BEGIN', PLAIN)}\n// ${bodyText(64, 4)}\nexecFileSync(command);\n// ${mark('END', PLAIN)}`,
    ],
  ];
  it.each(NONE)('%s takes nothing, or nothing beyond its base64', (_title, text) => {
    for (const span of taken(text)) {
      expect(span).not.toContain('execFileSync');
      expect(span).toMatch(/^-----BEGIN/);
    }
    if (!text.includes('execFileSync')) expect(taken(text)).toEqual([]);
  });
});

describe('a body without an END', () => {
  const open = (lines: number): string =>
    keyLines(RSA, 64 * lines - 2)
      .slice(0, -1)
      .join('\n');
  it('is taken up to the largest number of lines and refused beyond it', () => {
    expect(find(open(MOST_LINES_WITHOUT_END))).toMatchObject({ refused: null, blocks: [{ start: 0 }] });
    const beyond = find(open(MOST_LINES_WITHOUT_END + 1));
    expect(beyond.blocks).toEqual([]);
    expect(beyond.refused).toContain('more than 200 lines');
  });
  it('of any length is taken with its END', () => {
    const text = keyLines(RSA, 64 * 300).join('\n');
    expect(taken(text)).toEqual([text]);
  });
});

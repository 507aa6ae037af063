/**
 * The forms in which a known value may stand elsewhere: as it is, and as the encoders in common use write it. Only what an
 * encoder really writes is made; anything odder (all bytes percent-encoded, forms inside forms) is found by decoding, not
 * by searching. Most values hold nothing that is escaped, so their forms are the value, its base64 and its hex.
 */

/** One byte string to search for. */
export interface EchoForm {
  readonly bytes: Uint8Array;
  /** How a hit is widened and judged: base64 to whole groups, the value itself not where it is code. */
  readonly kind: 'value' | 'line' | 'escaped' | 'base64';
  /** Characters of the first base64 group before the form; 0 for other kinds. */
  readonly lead: number;
}

type Escape = (char: string) => string;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const upper = (text: string): string => text.toUpperCase();

/** Escapes every character that is not plain, in a text of one character a byte. */
const escaped = (text: string, isPlain: (char: string) => boolean, write: Escape): string =>
  [...text].map((char) => (isPlain(char) ? char : write(char))).join('');

const percent: Escape = (char) => `%${upper(hex(char.charCodeAt(0), 2))}`;
const lowerPercent: Escape = (char) => `%${hex(char.charCodeAt(0), 2)}`;

/** `encodeURIComponent`, RFC 3986 strictly, `encodeURI`, and HTML forms; forms write `+` for a blank. */
const UNRESERVED: readonly RegExp[] = [/[\w.!~*'()-]/, /[\w.~-]/, /[\w.!~*'();/?:@&=+$,#-]/, /[\w.*-]/];

const urlForms = (text: string): string[] =>
  UNRESERVED.flatMap((plain) =>
    [percent, lowerPercent].map((write) => escaped(text, (char) => plain.test(char), write)),
  ).flatMap((form) => [form, form.replaceAll('%20', '+')]);

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const unicode = (char: string): string => `\\u${hex(char.charCodeAt(0), 4)}`;
const upperUnicode = (char: string): string => `\\u${upper(hex(char.charCodeAt(0), 4))}`;
const json: Escape = (char) => SHORT_ESCAPES[char] ?? unicode(char);

/** Control characters below a blank, quotes and backslashes must be escaped in JSON; all else may stand. */
const mustEscape = (char: string): boolean => char < ' ' || char === '"' || char === '\\';
const isJsonPlain = (char: string): boolean => !mustEscape(char);
const isHtmlSafe = (char: string): boolean => !mustEscape(char) && !/[<>&'+=]/.test(char);

/** `JSON.stringify`; with `\/` as PHP writes it; safe inside HTML as Go, Ruby and PHP write it; JSON in JSON. */
const jsonForms = (text: string): string[] => {
  const plain = escaped(text, isJsonPlain, json);
  const safe = [unicode, upperUnicode].flatMap((write) => [
    escaped(text, isHtmlSafe, (char) => SHORT_ESCAPES[char] ?? write(char)),
    escaped(plain, (char) => !/[<>&]/.test(char), write),
  ]);
  return [plain, plain.replaceAll('/', '\\/'), escaped(plain, isJsonPlain, json), ...safe];
};

const ENTITIES: readonly Readonly<Record<string, string>>[] = [
  { '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
];

const htmlForms = (text: string): string[] =>
  ENTITIES.map((table) => [...text].map((char) => table[char] ?? char).join(''));

/** Quotes doubled, as SQL, YAML and CSV do. */
const doubledForms = (text: string): string[] => [text.replaceAll("'", "''"), text.replaceAll('"', '""')];

/** Non-ASCII characters as `\uXXXX`, for values that are UTF-8. */
const asciiForms = (value: Buffer): string[] => {
  const text = value.toString('utf8');
  if (text.length === value.length || !Buffer.from(text).equals(value)) return [];
  const units = Array.from({ length: text.length }, (_, at) => text.charAt(at));
  return [unicode, upperUnicode].map((write) =>
    units.map((unit) => (unit > '~' ? write(unit) : isJsonPlain(unit) ? unit : json(unit))).join(''),
  );
};

/** A form while it is made: one character a byte. */
interface FormText {
  readonly text: string;
  readonly kind: EchoForm['kind'];
  readonly lead: number;
}

/**
 * Base64 of the value where it starts none, one or two bytes after a group does, each as base64url too: the characters
 * that hold bits of the value alone. Those around them hold bits of its neighbours and cannot be searched for.
 */
const base64Forms = (value: Buffer): FormText[] => {
  const led = Buffer.alloc(value.length + 2);
  value.copy(led, 2);
  return [0, 1, 2].flatMap((lead) => {
    const from = Math.ceil((8 * lead) / 6);
    const to = Math.floor((8 * (lead + value.length)) / 6);
    const text = led
      .subarray(2 - lead)
      .toString('base64')
      .slice(from, to);
    const url = text.replaceAll('+', '-').replaceAll('/', '_');
    return [text, url].map((form): FormText => ({ text: form, kind: 'base64', lead: from }));
  });
};

/** A value's lines in a diff carry a sign each, and files have either line end. */
const lineForms = (text: string): string[] =>
  text.includes('\n') ? ['\n+', '\n-', '\n ', '\r\n'].map((between) => text.replaceAll(/\r?\n/g, between)) : [];

/** Shorter lines of a key's body are not looked for: they turn up in other keys. */
const LEAST_BODY_LINE = 40;
const BODY_LINE_BYTES = 64;
/** `openssh-key-v1` in base64: the first line of every such key without a passphrase is the same. */
const COMMON_LINE = Buffer.from('openssh-key-v1').toString('base64').slice(0, 18);

/** The lines of a key's body, each on its own: another place may wrap or mark them otherwise. */
const bodyForms = (text: string): FormText[] => {
  if (!text.includes('-----') && !text.includes('---- ')) return [];
  const chunks = text.replaceAll(/\\+\//g, '/').match(/[A-Za-z0-9+/=]{40,}/g) ?? [];
  const lines = chunks.flatMap((chunk) => chunk.match(new RegExp(`.{1,${BODY_LINE_BYTES}}`, 'g')) ?? []);
  const kept = lines.filter((line) => line.length >= LEAST_BODY_LINE && !line.startsWith(COMMON_LINE));
  return kept.flatMap((line) =>
    [line, line.replaceAll('/', '\\/'), ...urlForms(line)].map(
      (form): FormText => ({ text: form, kind: 'line', lead: 0 }),
    ),
  );
};

/** Most tokens: no encoder changes any of these. */
const NEVER_ESCAPED = /^[\w.-]*$/;

const escapesOf = (value: Buffer, text: string): string[] =>
  NEVER_ESCAPED.test(text)
    ? []
    : [...urlForms(text), ...jsonForms(text), ...htmlForms(text), ...doubledForms(text), ...asciiForms(value)];

/** Every form of the value, each byte string once; the value itself is the first. */
export const echoForms = (bytes: Uint8Array): EchoForm[] => {
  const value = Buffer.from(bytes);
  const text = value.toString('latin1');
  const inHex = value.toString('hex');
  const made: FormText[] = [
    ...[text, ...lineForms(text)].map((form): FormText => ({ text: form, kind: 'value', lead: 0 })),
    ...bodyForms(text),
    ...[...escapesOf(value, text), inHex, upper(inHex)].map(
      (form): FormText => ({ text: form, kind: 'escaped', lead: 0 }),
    ),
    ...base64Forms(value),
    ...base64Forms(Buffer.from(text, 'utf16le')),
  ];
  const seen = new Map<string, FormText>();
  for (const form of made) if (!seen.has(form.text)) seen.set(form.text, form);
  return [...seen.values()].map(({ text: form, kind, lead }) => ({ bytes: Buffer.from(form, 'latin1'), kind, lead }));
};

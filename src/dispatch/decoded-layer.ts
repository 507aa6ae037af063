/**
 * One layer of escapes taken off a text, with the way back: for each decoded character, where its source begins and
 * ends. Layers stack, so `%255C` is found to be a backslash in two steps and still points at its five characters.
 */

export interface Layer {
  readonly text: string;
  /** Start in the original text of each UTF-16 unit; `null` when the layer is the original. */
  readonly starts: Uint32Array | null;
  readonly ends: Uint32Array | null;
}

/** Percent runs, JSON and JavaScript escapes, HTML references by number and by the names an encoder uses. */
const ESCAPE =
  /(?:%[0-9a-f]{2})+|\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["'\\/bfnrt]|&#x0{0,8}[0-9a-f]{1,6};?|&#0{0,8}[0-9]{1,7};?|&(?:amp|lt|gt|quot|apos|nbsp|plus|equals|sol|bsol|lowbar|hyphen|dash|period|colon|num|commat|dollar|percnt|excl|ast|lpar|rpar|comma|semi|quest|lsqb|rsqb|lcub|rcub|verbar|grave|Hat|tilde);/gi;

const JSON_LETTERS: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const HTML_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', plus: '+', equals: '=', sol: '/' },
    ...{ bsol: '\\', lowbar: '_', hyphen: '-', dash: '-', period: '.', colon: ':', num: '#', commat: '@' },
    ...{ dollar: '$', percnt: '%', excl: '!', ast: '*', lpar: '(', rpar: ')', comma: ',', semi: ';', quest: '?' },
    ...{ lsqb: '[', rsqb: ']', lcub: '{', rcub: '}', verbar: '|', grave: '`', hat: '^', tilde: '~' },
  }),
);

/** The next layer, or `null` when nothing in this one is an escape. */
export const decodeLayer = (layer: Layer): Layer | null => {
  if (layer.text.search(ESCAPE) === -1) {
    return null;
  }
  const starts = new Uint32Array(layer.text.length);
  const ends = new Uint32Array(layer.text.length);
  const parts: string[] = [];
  let to = 0;
  let from = 0;
  const keep = (start: number, end: number): void => {
    parts.push(layer.text.slice(start, end));
    for (let at = start; at < end; at += 1, to += 1) {
      starts[to] = layer.starts?.[at] ?? at;
      ends[to] = layer.ends?.[at] ?? at + 1;
    }
  };
  const put = (decoded: string, start: number, end: number): void => {
    parts.push(decoded);
    for (let at = 0; at < decoded.length; at += 1, to += 1) {
      starts[to] = layer.starts?.[start] ?? start;
      ends[to] = layer.ends?.[end - 1] ?? end;
    }
  };
  for (const found of layer.text.matchAll(ESCAPE)) {
    const source = found[0];
    keep(from, found.index);
    from = found.index + source.length;
    if (source.startsWith('%')) {
      putPercent(source, found.index, put);
    } else {
      put(unescaped(source), found.index, from);
    }
  }
  keep(from, layer.text.length);
  return { text: parts.join(''), starts: starts.subarray(0, to), ends: ends.subarray(0, to) };
};

/** ASCII one byte at a time, so that each keeps its own place; longer characters a run at a time. */
const putPercent = (run: string, start: number, put: (decoded: string, from: number, to: number) => void): void => {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  for (let at = 0; at < bytes.length; ) {
    let end = at + 1;
    if ((bytes[at] ?? 0) >= 0x80) {
      while (end < bytes.length && (bytes[end] ?? 0) >= 0x80) {
        end += 1;
      }
    }
    put(bytes.subarray(at, end).toString('utf8'), start + at * 3, start + end * 3);
    at = end;
  }
};

const unescaped = (source: string): string => {
  const number = /^(?:\\u\{?|\\x|&#x0*)([0-9a-f]+)/i.exec(source)?.[1];
  if (number !== undefined) {
    return character(Number.parseInt(number, 16));
  }
  const decimal = /^&#0*([0-9]+)/.exec(source)?.[1];
  if (decimal !== undefined) {
    return character(Number.parseInt(decimal, 10));
  }
  if (source.startsWith('&')) {
    return HTML_NAMES.get(source.slice(1, -1).toLowerCase()) ?? source;
  }
  return JSON_LETTERS.get(source.charAt(1)) ?? source.charAt(1);
};

const character = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd');

/** One line of `scan --ndjson`: an object `{id, text, path?}`, or why it is none. The reason never quotes the line. */
import { isUtf8 } from 'node:buffer';
import type { SplitLine } from './split-lines.js';

/** Bytes of one line; more are passed over and the line is answered as a bad one. */
export const LONGEST_LINE_BYTES = 128 * 1024 * 1024;

export type AskedLine =
  | { readonly kind: 'text'; readonly id: string | number; readonly text: string; readonly name: string }
  | { readonly kind: 'bad'; readonly why: string };

const BOM = '\ufeff';

const bad = (why: string): AskedLine => ({ kind: 'bad', why });

/** `null` for a line of blanks alone, which is no question and gets no answer. `number` is 1-based. */
export const readLine = (line: SplitLine, number: number, longestLineBytes: number): AskedLine | null => {
  if (line.kind === 'too-long') return bad(`line ${number} has more than ${longestLineBytes} bytes`);
  if (!isUtf8(line.bytes)) return bad(`line ${number} is not UTF-8`);
  const written = line.bytes.toString('utf8');
  const json = number === 1 && written.startsWith(BOM) ? written.slice(1) : written;
  if (json.trim() === '') return null;
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return bad(`line ${number} is not JSON`);
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return bad(`line ${number} is no JSON object`);
  const { id, text, path } = read as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof id !== 'number')
    return bad(`line ${number} has no \`id\` (a string or a number)`);
  if (typeof text !== 'string') return bad(`line ${number} has no \`text\` (a string)`);
  if (path !== undefined && typeof path !== 'string') return bad(`line ${number} has a \`path\` that is no string`);
  return { kind: 'text', id, text, name: `the text of line ${number}` };
};

/**
 * From reported values to spans of the inputs. Columns of such reports are not relied on: a value is looked for as bytes
 * and taken wherever it stands, which is what echo would do. One that stands nowhere was decoded by the program; then its
 * whole lines go, with a neighbour on each side, because line numbers of such reports have been one off.
 */
import type { Span } from '../../contract/finding.js';
import type { AugmenterRow } from './read-report.js';
import { degraded } from './run-augmenter.js';

export interface PlacedText {
  readonly ref: number;
  readonly bytes: Buffer;
  /** 1-based line of its first byte in the text that the program was given. */
  readonly firstLine: number;
}

export interface PlacedRow extends Span {
  readonly ref: number;
  readonly ruleId: string;
}

/** Shorter values turn up by chance, so they are taken in their own lines alone. */
const ANYWHERE_LEAST_BYTES = 8;
const MOST_SEARCHED_BYTES = 8 * 1024 ** 3;

const NEWLINE = 0x0a;

/** The inputs as one text, each ending a line, with the line each begins in. */
export const joinTexts = (
  inputs: readonly { readonly ref: number; readonly bytes: Buffer }[],
): { readonly text: Buffer; readonly placed: readonly PlacedText[] } => {
  const parts: Buffer[] = [];
  const placed: PlacedText[] = [];
  let line = 1;
  for (const { ref, bytes } of inputs) {
    placed.push({ ref, bytes, firstLine: line });
    parts.push(bytes);
    if (bytes.at(-1) !== NEWLINE) parts.push(Buffer.of(NEWLINE));
    line += countLines(bytes);
  }
  return { text: Buffer.concat(parts), placed };
};

const countLines = (bytes: Buffer): number => {
  let lines = bytes.at(-1) === NEWLINE ? 0 : 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
};

/** `SCANNER_DEGRADED` for a finding whose place is not in the text. */
export const placeRows = (rows: readonly AugmenterRow[], texts: readonly PlacedText[]): readonly PlacedRow[] => {
  const bytes = texts.reduce((sum, text) => sum + text.bytes.length, 0);
  const distinct = new Map(rows.map((row) => [`${row.ruleId}\0${row.secret}\0${row.startLine}`, row]));
  if (distinct.size * bytes > MOST_SEARCHED_BYTES)
    throw degraded(`reported ${distinct.size} findings in ${bytes} bytes`);
  return [...distinct.values()].flatMap((row) => placesOf(row, texts));
};

const placesOf = (row: AugmenterRow, texts: readonly PlacedText[]): readonly PlacedRow[] => {
  const needle = Buffer.from(row.secret, 'utf8');
  const inLines = texts.flatMap((text) => {
    const span = linesOf(text, row.startLine - 1, row.endLine + 1);
    return span === null ? [] : [{ text, span }];
  });
  if (inLines.length === 0) throw degraded('reported a finding in a line that is not there');
  const found =
    needle.length >= ANYWHERE_LEAST_BYTES
      ? texts.flatMap((text) => occurrences(text, needle, { start: 0, end: text.bytes.length }))
      : inLines.flatMap(({ text, span }) => occurrences(text, needle, span));
  const spans = found.length > 0 ? found : inLines.map(({ text, span }) => ({ ref: text.ref, ...span }));
  return spans.map((span) => ({ ...span, ruleId: row.ruleId }));
};

const occurrences = ({ ref, bytes }: PlacedText, needle: Buffer, within: Span): readonly (Span & { ref: number })[] => {
  const spans: (Span & { ref: number })[] = [];
  const searched = bytes.subarray(within.start, within.end);
  for (let at = searched.indexOf(needle); at >= 0; at = searched.indexOf(needle, at + needle.length)) {
    const start = within.start + at;
    spans.push({ ref, start, end: start + needle.length });
  }
  return spans;
};

/** The bytes of these lines that stand in the text, without the last line end; `null` for none. */
const linesOf = ({ bytes, firstLine }: PlacedText, from: number, to: number): Span | null => {
  let line = firstLine;
  let start = 0;
  let first: number | null = null;
  let end = 0;
  while (start < bytes.length && line <= to) {
    const newline = bytes.indexOf(NEWLINE, start);
    const stop = newline < 0 ? bytes.length : newline;
    if (line >= from) {
      first ??= start;
      end = stop;
    }
    start = stop + 1;
    line += 1;
  }
  return first === null || end <= first ? null : { start: first, end };
};

/** Lines and columns of spans, in one walk over the text, whatever the length of its lines. */
import type { Span } from '../../contract/finding.js';

export interface Location {
  /** 1-based. */
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based bytes of UTF-8; the end is the last byte that belongs to the span. */
  readonly startColumn: number;
  readonly endColumn: number;
  /** 1-based UTF-16 code units; the end is the first that does not belong to the span. */
  readonly startUnit: number;
  readonly endUnit: number;
}

const LINE_FEED = 0x0a;

interface Place {
  readonly line: number;
  readonly column: number;
  readonly unit: number;
}

const unitsIn = (bytes: Uint8Array, start: number, end: number): number => {
  let units = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
};

/** `spans` sorted and not overlapping. */
export const locateSpans = (text: Uint8Array, spans: readonly Span[]): readonly Location[] => {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  let at = 0;
  let line = 1;
  let lineStart = 0;
  let units = 0;
  let feed = bytes.indexOf(LINE_FEED);
  /** Offsets ascend. */
  const placeOf = (offset: number): Place => {
    while (feed !== -1 && feed < offset) {
      line += 1;
      at = feed + 1;
      lineStart = at;
      units = 0;
      feed = bytes.indexOf(LINE_FEED, at);
    }
    units += unitsIn(bytes, at, offset);
    at = offset;
    return { line, column: offset - lineStart + 1, unit: units + 1 };
  };
  return spans.map((span) => {
    const start = placeOf(span.start);
    const last = placeOf(span.end - 1);
    const endUnit = last.unit + unitsIn(bytes, span.end - 1, span.end);
    return {
      startLine: start.line,
      endLine: last.line,
      startColumn: start.column,
      endColumn: last.column,
      startUnit: start.unit,
      endUnit,
    };
  });
};

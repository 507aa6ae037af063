/**
 * What is scanned of a request: the JSON of the body and of each document inside it, each text alone, and texts of one
 * list joined, since a secret may have been cut where a client cuts its parts.
 */
import type { Span } from '../contract/finding.js';
import type { GateDocument, GateLeaf, GateSurface, LeafSpan } from './gate-request.js';
import type { Gathered } from './gather-leaves.js';
import { jsonSurfaceOf } from './json-surface.js';

/** What a joined text takes of each side of a seam; a shorter part is taken whole. */
const SEAM_BYTES = 8 * 1024;

export const surfacesOf = (body: GateDocument, gathered: Gathered): readonly GateSurface[] => [
  jsonSurface(0, body),
  ...gathered.documents.map(({ item, document }) => jsonSurface(item, document)),
  ...gathered.texts.flatMap((leaf) => textSurface(gathered.leaves, leaf)),
  ...gathered.rows.flatMap((row) => joinedSurfaces(gathered.leaves, row)),
];

const jsonSurface = (item: number, document: GateDocument): GateSurface => {
  const { bytes, toDocument } = jsonSurfaceOf(document);
  return { form: 'json', item, bytes, place: (span) => placeIn(document, toDocument(span)) };
};

const textSurface = (leaves: readonly GateLeaf[], index: number): readonly GateSurface[] => {
  const leaf = leaves[index];
  if (leaf === undefined || leaf.bytes.length === 0) return [];
  return [{ form: 'text', item: leaf.item, bytes: leaf.bytes, place: (span) => [{ ...span, leaf: index }] }];
};

/** The parts of leaves under a span of the document. */
const placeIn = ({ tokens }: GateDocument, span: Span): readonly LeafSpan[] => {
  const placed: LeafSpan[] = [];
  for (let index = firstAfter(tokens, span.start); index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.start >= span.end) break;
    const inside = { start: Math.max(span.start, token.start), end: Math.min(span.end, token.end) };
    if (inside.start >= inside.end) continue;
    const text = token.map.toText(inside);
    const { content } = token;
    if (content.kind === 'document') placed.push(...placeIn(content.document, text));
    else {
      const whole = content.form === 'number' ? { start: 0, end: token.map.bytes.length } : text;
      if (whole.start < whole.end) placed.push({ leaf: content.leaf, start: whole.start, end: whole.end });
    }
  }
  return placed;
};

/** Index of the first token that ends after the offset. */
const firstAfter = (tokens: GateDocument['tokens'], offset: number): number => {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tokens[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
};

interface Part extends Span {
  readonly leaf: number;
  readonly bytes: Uint8Array;
  /** Where it begins in the joined text. */
  readonly at: number;
}

const joinedSurfaces = (leaves: readonly GateLeaf[], row: readonly number[]): readonly GateSurface[] => {
  const surfaces: GateSurface[] = [];
  let parts: Part[] = [];
  let length = 0;
  const add = (leaf: number, start: number, end: number): void => {
    const bytes = leaves[leaf]?.bytes.subarray(start, end) ?? new Uint8Array();
    parts.push({ leaf, start, end, bytes, at: length });
    length += bytes.length;
  };
  const close = (): void => {
    if (parts.length > 1) surfaces.push(joined(leaves[parts[0]?.leaf ?? 0]?.item ?? 0, parts));
    parts = [];
    length = 0;
  };
  for (const leaf of row) {
    const size = leaves[leaf]?.bytes.length ?? 0;
    if (size === 0) continue;
    if (size <= 2 * SEAM_BYTES) {
      add(leaf, 0, size);
      continue;
    }
    add(leaf, 0, SEAM_BYTES);
    close();
    add(leaf, size - SEAM_BYTES, size);
  }
  close();
  return surfaces;
};

const joined = (item: number, parts: readonly Part[]): GateSurface => ({
  form: 'joined',
  item,
  bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
  place: (span) =>
    parts.flatMap(({ leaf, start, bytes, at }) => {
      const from = Math.max(span.start, at);
      const to = Math.min(span.end, at + bytes.length);
      return from < to ? [{ leaf, start: from - at + start, end: to - at + start }] : [];
    }),
});

/**
 * Writes a request back with some of its leaves changed, and every other byte as the client wrote it. What is put into a
 * string of a document in a string is escaped once for each of them; a number becomes a string; a file is encoded anew.
 */
import type { Span } from '../contract/finding.js';
import { escapeSlice } from '../contract/json-escape.js';
import { encodePayload } from './base64-text.js';
import type { GateDocument, GateRequest, GateToken } from './gate-request.js';

/** Stands in the place of a span of a leaf. */
export interface Replacement extends Span {
  readonly bytes: Uint8Array;
}

/** Sorted, not overlapping; empty for a leaf that stays. */
export type ReplacementsOf = (leaf: number) => readonly Replacement[];

/** The same bytes where nothing is replaced. */
export const writeRequest = ({ document }: GateRequest, replacementsOf: ReplacementsOf): Uint8Array => {
  const changed = edits(document, replacementsOf);
  return changed.length === 0 ? document.bytes : spliced(document.bytes, changed);
};

const edits = ({ bytes, tokens }: GateDocument, replacementsOf: ReplacementsOf): readonly Replacement[] =>
  tokens.flatMap((token) => tokenEdits(bytes, token, replacementsOf));

const tokenEdits = (source: Uint8Array, token: GateToken, replacementsOf: ReplacementsOf): readonly Replacement[] => {
  const { map, content } = token;
  const inSource = ({ bytes, ...span }: Replacement): Replacement => ({
    ...map.toSource(span),
    bytes: escapeSlice(bytes),
  });
  if (content.kind === 'document') return edits(content.document, replacementsOf).map(inSource);
  const replacements = replacementsOf(content.leaf);
  if (replacements.length === 0) return [];
  switch (content.form) {
    case 'string':
      return replacements.map(inSource);
    case 'number': {
      const text = escapeSlice(spliced(map.bytes, replacements));
      return [{ start: token.start, end: token.end, bytes: Buffer.concat([QUOTE, text, QUOTE]) }];
    }
    case 'file': {
      const before = source.subarray(token.start, token.end);
      const written = encodePayload(spliced(map.bytes, replacements), before);
      return [{ start: token.start, end: token.end, bytes: Buffer.from(written) }];
    }
    default:
      return content.form satisfies never;
  }
};

const QUOTE = Buffer.from('"');

const spliced = (bytes: Uint8Array, replacements: readonly Replacement[]): Uint8Array => {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes: put } of replacements) {
    pieces.push(bytes.subarray(at, start), put);
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
};

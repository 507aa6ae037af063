/**
 * The end of a request: what it was made from, in hashes. The lines that hold receipt and hashes are named by their place,
 * so that nothing in them is blanked; a rule that exempted them by their look could be used to smuggle.
 */
import { createHash } from 'node:crypto';
import type { Span } from '../contract/finding.js';
import type { PreparedItem } from '../contract/item.js';

export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** `rcp-` and 12 hex digits over parts joined by `|`. */
export const receiptOf = (...parts: readonly string[]): string => `rcp-${sha256Hex(parts.join('|')).slice(0, 12)}`;

export interface RequestParts {
  readonly receipt: string;
  readonly title: string;
  readonly bullets: readonly (readonly [string, string])[];
  /** Sections before the rubric, each with its heading. */
  readonly sections: readonly string[];
  /** Rubric and the shape of the answer, each with its heading: what the reader judges by. */
  readonly rubric: readonly string[];
}

export interface RequestDocument {
  readonly bytes: Uint8Array;
  /** Lines of ours in which nothing is blanked. */
  readonly exempt: readonly Span[];
}

/** Title, bullets, sections, rubric, and the hashes over everything above them. */
export const composeRequest = (parts: RequestParts): RequestDocument => {
  const { receipt, title, bullets, sections, rubric } = parts;
  const head = `# ${title} — ${receipt}`;
  const receiptLine = `- receipt_id: ${receipt}`;
  const rest = bullets.map(([name, value]) => `- ${name}: ${value}`);
  const judged = rubric.join('\n\n');
  const above = `${[head, '', receiptLine, ...rest, '', sections.join('\n\n'), '', judged].join('\n')}\n`;
  const hashes = [`- rubric_hash: sha256:${sha256Hex(judged)}`, `- prompt_hash: sha256:${sha256Hex(above)}`];
  const text = `${above}\n## Provenance\n\n${hashes.join('\n')}\n`;
  const last = Buffer.byteLength(text) - 1;
  const hashBytes = Buffer.byteLength(hashes.join('\n'));
  return {
    bytes: Buffer.from(text),
    exempt: [
      { start: 0, end: Buffer.byteLength(`${head}\n\n${receiptLine}`) },
      { start: last - hashBytes, end: last },
    ],
  };
};

export const requestItem = ({ bytes, exempt }: RequestDocument, receipt: string): PreparedItem => ({
  path: null,
  label: receipt,
  origin: { kind: 'text', bytes, exempt },
  rawBytes: bytes.length,
});

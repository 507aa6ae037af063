/**
 * The two parked documents as streams of bytes: the bundle while its items are read, the manifest from the rows that were
 * counted on the way. No path of the repository stands in the bundle.
 */
import { createHash } from 'node:crypto';
import { ColdsealError } from '../contract/error.js';
import { escapedLength, escapeSlice, SLICE_BYTES } from '../contract/json-escape.js';
import { printablePath } from '../contract/printable-path.js';
import {
  LARGEST_READING_FILE_BYTES,
  type Position,
  READING_BUNDLE_TYPE,
  READING_MANIFEST_TYPE,
  READING_SCHEMA_VERSION,
  type ReadingPreset,
  type ScanMark,
} from '../contract/reading.js';
import { ASSEMBLER_VERSION, itemKind, scanMark } from './reading-item-kind.js';
import type { Exclusion } from './select-reading.js';

/** A file that became an item. */
export interface AssembledRow {
  readonly key: string;
  readonly path: Uint8Array;
  readonly kind: string;
  readonly scan: ScanMark;
  readonly bytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

/** A file's text, or `null` where it is none. */
export interface ReadFile {
  readonly path: Uint8Array;
  readonly text: Uint8Array | null;
}

export interface BundleFacts {
  readonly position: Position;
  readonly preset: ReadingPreset;
  readonly contextStamp: string;
}

/** What the bundle's stream leaves behind once it was read to its end. */
export interface AssembledItems {
  readonly rows: AssembledRow[];
  /** Paths of files that are no text. */
  readonly binary: Uint8Array[];
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');

/** Fresh chunks; fills `found`. `ITEM_TOO_LARGE` as soon as the document is over 256 MiB. */
export async function* bundleChunks(
  facts: BundleFacts,
  files: AsyncIterable<ReadFile>,
  found: AssembledItems,
): AsyncGenerator<Uint8Array, void, undefined> {
  const head = {
    _type: READING_BUNDLE_TYPE,
    schema_version: READING_SCHEMA_VERSION,
    context_stamp: facts.contextStamp,
    position: facts.position,
    preset: facts.preset,
  };
  const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`, 'utf8');
  let bytes = start.length;
  yield start;
  for await (const { path, text } of files) {
    if (text === null) {
      found.binary.push(path);
      continue;
    }
    const row = rowOf(found.rows.length, path, text);
    const open = `${found.rows.length === 0 ? '\n' : ',\n'}{"item_key":"${row.key}","kind":${JSON.stringify(row.kind)},"text":"`;
    bytes += open.length + escapedLength(text) + '"}'.length;
    if (bytes + END.length > LARGEST_READING_FILE_BYTES) throw tooLarge();
    yield Buffer.from(open, 'utf8');
    for (let at = 0; at < text.length; at += SLICE_BYTES) yield escapeSlice(text.subarray(at, at + SLICE_BYTES));
    yield Buffer.from('"}', 'utf8');
    found.rows.push(row);
  }
  yield END;
}

const END = Buffer.from('\n]}\n', 'utf8');

const rowOf = (index: number, path: Uint8Array, text: Uint8Array): AssembledRow => ({
  key: `itm-${String(index + 1).padStart(4, '0')}`,
  path,
  kind: itemKind(path),
  scan: scanMark(path),
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});

const tooLarge = (): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `The reading would be over ${LARGEST_READING_FILE_BYTES} bytes (256 MiB), the most that a parked file may have. Narrow the include list.`,
    { facts: { limit_bytes: LARGEST_READING_FILE_BYTES } },
  );

export interface ManifestFacts extends BundleFacts {
  readonly runId: string;
  readonly targetCommit: string;
  readonly presetHash: string;
  readonly exclusions: readonly Exclusion[];
}

/** Fresh chunks, a row each. */
export function* manifestChunks(
  facts: ManifestFacts,
  rows: readonly AssembledRow[],
): Generator<Uint8Array, void, undefined> {
  const head = {
    _type: READING_MANIFEST_TYPE,
    schema_version: READING_SCHEMA_VERSION,
    run_id: facts.runId,
    position: facts.position,
    target_commit: facts.targetCommit,
    assembler_version: ASSEMBLER_VERSION,
    preset: facts.preset,
    preset_hash: facts.presetHash,
  };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[\n`, 'utf8');
  for (const [at, { key, path, kind, scan, bytes, sha256 }] of rows.entries()) {
    if (at > 0) yield Buffer.from(',\n');
    yield json({ item_key: key, path: printablePath(path), kind, scan, bytes, sha256 });
  }
  yield Buffer.from('\n],"exclusions":[');
  for (const [at, one] of facts.exclusions.entries()) {
    yield Buffer.from(at === 0 ? '\n' : ',\n');
    yield json(one);
  }
  yield Buffer.from(facts.exclusions.length === 0 ? ']}\n' : '\n]}\n');
}

const GATHERED_BYTES = 64 * 1024;

/** Small pieces put together, so that a file of many small items is not written a few bytes at a time. */
export async function* gathered(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < GATHERED_BYTES) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}

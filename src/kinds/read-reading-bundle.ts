/**
 * A parked bundle, strictly and as a stream: its head's strings, and each item held against the manifest's row of the same
 * place. Texts go into memory that the caller gives, or are hashed and let go; either way each one's hash is judged.
 */
import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.js';
import { type Position, READING_BUNDLE_TYPE, type ReadingPreset } from '../contract/reading.js';
import { JsonReader } from './json-reader.js';
import { invalid, type ParkedFile } from './parked-file.js';
import type { ManifestItem, ReadingManifest } from './read-manifest.js';
import {
  readConstant,
  readKind,
  readMembers,
  readPosition,
  readPreset,
  readSchemaVersion,
  readText,
  refuseFaults,
} from './reading-shape.js';

export interface ReadingHead {
  readonly contextStamp: string;
  readonly preset: ReadingPreset;
}

/** Where an item's text is put: `bytes` of the manifest's row. `null`: it is only judged. */
export type TextTarget = (index: number, item: ManifestItem) => Uint8Array | null;

/** Reads the whole file and keeps no text. `READING_INVALID`. */
export const judgeBundle = (file: ParkedFile, manifest: ReadingManifest, signal: AbortSignal): Promise<ReadingHead> =>
  refuseFaults(file.shown, async () => {
    const steps = readSteps(file, manifest, () => null, signal);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value;
    }
  });

/** Yields each item's index once its text stands in its target and its hash was judged; ends when the file is whole. */
export async function* readBundleItems(
  file: ParkedFile,
  manifest: ReadingManifest,
  target: TextTarget,
  signal: AbortSignal,
): AsyncGenerator<number, void, undefined> {
  const steps = readSteps(file, manifest, target, signal);
  try {
    for (;;) {
      const step = await refuseFaults(file.shown, () => steps.next());
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await steps.return({ contextStamp: '', preset: {} });
  }
}

async function* readSteps(
  file: ParkedFile,
  manifest: ReadingManifest,
  target: TextTarget,
  signal: AbortSignal,
): AsyncGenerator<number, ReadingHead, undefined> {
  const reader = new JsonReader(file.chunks());
  const seen: { position: Position | null; contextStamp: string | null; preset: ReadingPreset | null } = {
    position: null,
    contextStamp: null,
    preset: null,
  };
  const due = new Set(['_type', 'schema_version', 'context_stamp', 'position', 'preset', 'items']);
  for await (const name of reader.members()) {
    if (!due.delete(name)) throw reader.fault('has a member that its schema does not name');
    if (name === '_type') await readConstant(reader, READING_BUNDLE_TYPE);
    else if (name === 'schema_version') await readSchemaVersion(reader);
    else if (name === 'context_stamp') seen.contextStamp = await readText(reader);
    else if (name === 'position') seen.position = await readPosition(reader);
    else if (name === 'preset') seen.preset = await readPreset(reader);
    else yield* readItems(reader, file, manifest, target, signal);
  }
  if (due.size > 0) throw reader.fault(`lacks ${[...due].join(', ')}`);
  await reader.readEnd();
  if (seen.position !== manifest.position) {
    throw invalid(`${file.shown} names another position than its manifest, which says ${manifest.position}.`);
  }
  const preset = seen.preset ?? {};
  if (canonicalJson(preset) !== canonicalJson(manifest.preset)) {
    throw invalid(`${file.shown} has another preset than its manifest.`);
  }
  return { contextStamp: seen.contextStamp ?? '', preset };
}

async function* readItems(
  reader: JsonReader,
  file: ParkedFile,
  manifest: ReadingManifest,
  target: TextTarget,
  signal: AbortSignal,
): AsyncGenerator<number, void, undefined> {
  let count = 0;
  for await (const index of reader.entries()) {
    signal.throwIfAborted();
    const row = manifest.items[index];
    if (row === undefined)
      throw invalid(`${file.shown} has more items than its manifest, which has ${manifest.items.length}.`);
    await readItem(reader, file, row, target(index, row));
    count = index + 1;
    yield index;
  }
  if (count !== manifest.items.length) {
    throw invalid(`${file.shown} has ${count} items and its manifest ${manifest.items.length}.`);
  }
}

const readItem = async (
  reader: JsonReader,
  file: ParkedFile,
  row: ManifestItem,
  target: Uint8Array | null,
): Promise<void> => {
  const found = { key: '', kind: '', candidate: null as string | null, field: null as string | null };
  const text = createTextSink(row, target);
  await readMembers(
    reader,
    {
      item_key: async () => {
        found.key = await readText(reader);
      },
      kind: async () => {
        found.kind = await readKind(reader);
      },
      candidate: async () => {
        found.candidate = await readText(reader);
      },
      field: async () => {
        found.field = await readText(reader);
      },
      text: () => reader.streamString(text.take),
    },
    ['candidate', 'field'],
  );
  const differs = (what: string) => invalid(`The ${what} of ${row.key} in ${file.shown} differs from its manifest.`);
  if (found.key !== row.key) throw invalid(`${file.shown} has another item where its manifest has ${row.key}.`);
  if (found.kind !== row.kind) throw differs('kind');
  if (found.candidate !== row.candidate) throw differs('candidate');
  if (found.field !== row.field) throw differs('field');
  if (text.bytes() !== row.bytes) throw differs('size');
  if (text.digest() !== row.sha256) throw differs('hash');
};

const createTextSink = (row: ManifestItem, target: Uint8Array | null) => {
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  return {
    take: (run: Uint8Array): void => {
      hash.update(run);
      if (target !== null && bytes + run.length <= row.bytes) target.set(run, bytes);
      bytes += run.length;
    },
    bytes: (): number => bytes,
    digest: (): string => hash.digest('hex'),
  };
};

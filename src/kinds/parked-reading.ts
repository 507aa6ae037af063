/**
 * One parked run, read twice from two open files: once whole when it is opened, so that a run that does not hold together
 * is refused before anything is routed, planned or scanned, and once more item by item when its texts are wanted. Neither
 * reading holds more than a batch of texts, however large the files are.
 */
import { ColdsealError } from '../contract/error.js';
import type { ItemPlan, LoadedItem, PlannedItem } from '../contract/item.js';
import { mostItemBytes } from '../contract/item-bounds.js';
import { printable } from '../contract/printable.js';
import type { ReadingEnvelope } from '../contract/reading.js';
import type { Repository } from '../contract/repository.js';
import { invalid, openParkedFile, type ParkedFile } from './parked-file.js';
import { type ManifestItem, type ReadingManifest, readManifest } from './read-manifest.js';
import { judgeBundle, type ReadingHead, readBundleItems } from './read-reading-bundle.js';
import { RUN_ID } from './reading-shape.js';

/** Folders from the work tree's root; each run has one of its own below them. */
export const READING_RUN_FOLDERS = ['.abcd', '.work.local', 'scratch', 'reading-runs'] as const;
export const READING_FILES = { bundle: 'bundle.json', manifest: 'manifest.json' } as const;

export interface ParkedReading {
  readonly manifest: ReadingManifest;
  readonly head: ReadingHead;
  readonly bundle: ParkedFile;
  close(): Promise<void>;
}

/** `USAGE` for what cannot be a run's id. */
const requireRunId = (id: string): void => {
  if (RUN_ID.test(id)) return;
  throw new ColdsealError(
    'USAGE',
    `"${printable(id.slice(0, 64))}" is no id of a parked reading, which is rdg- and digits, as \`coldseal reading assemble\` prints it.`,
  );
};

/** `READING_INVALID` for a run that does not hold together in any way; the caller closes it. */
export const openParkedReading = async (
  repository: Pick<Repository, 'workTree' | 'isTracked'>,
  runId: string,
  signal: AbortSignal,
): Promise<ParkedReading> => {
  requireRunId(runId);
  const { workTree } = repository;
  if (workTree === null) throw invalid(`A bare repository has no work tree, so ${runId} is not parked here.`);
  const folders = [...READING_RUN_FOLDERS, runId];
  if (await repository.isTracked(folders.join('/'))) {
    throw invalid(
      `git tracks something in ${folders.join('/')}, and a parked reading is this machine's own. Untrack it (git rm -r --cached).`,
    );
  }
  const manifest = await readManifestOf(workTree, folders, runId);
  const bundle = await openParkedFile(workTree, folders, READING_FILES.bundle);
  try {
    const head = await judgeBundle(bundle, manifest, signal);
    return { manifest, head, bundle, close: () => bundle.close() };
  } catch (error) {
    await bundle.close();
    throw error;
  }
};

const readManifestOf = async (
  workTree: string,
  folders: readonly string[],
  runId: string,
): Promise<ReadingManifest> => {
  const file = await openParkedFile(workTree, folders, READING_FILES.manifest);
  try {
    const manifest = await readManifest(file);
    if (manifest.runId !== runId) throw invalid(`${file.shown} names another run than its folder, ${runId}.`);
    if (manifest.items.length === 0) throw invalid(`${file.shown} has no item, so there is nothing to read.`);
    return manifest;
  } finally {
    await file.close();
  }
};

/** What is not the run's own: the destination's model and the definition that reads it. */
export interface ReadingDispatch {
  readonly model: string;
  /** 64 hex digits. */
  readonly definitionSha256: string;
  readonly listOrigin: ItemPlan['listOrigin'];
  readonly capBytes: number;
}

/** Every item in the parked order. `ITEM_TOO_LARGE` by the manifest's sizes. */
export const planReading = ({ manifest, head }: ParkedReading, dispatch: ReadingDispatch): ItemPlan => {
  const limit = mostItemBytes(dispatch.capBytes);
  for (const { key, bytes } of manifest.items) if (bytes > limit) throw tooLarge(key, bytes, limit);
  const reading: ReadingEnvelope = {
    runId: manifest.runId,
    position: manifest.position,
    manifestSha256: manifest.sha256,
    definitionSha256: dispatch.definitionSha256,
    assemblerVersion: manifest.assemblerVersion,
    model: dispatch.model,
    contextStamp: head.contextStamp,
    preset: head.preset,
    unscanned: manifest.items.filter(({ scan }) => scan === 'unscanned').length,
    withheld: manifest.withheld,
    binary: manifest.binary,
  };
  const items = manifest.items.map(plannedItem);
  return { kind: 'reading', listOrigin: dispatch.listOrigin, range: null, items, deleted: [], reading };
};

const plannedItem = ({ key, kind, candidate, field, bytes }: ManifestItem): PlannedItem => ({
  id: key,
  input: 'items',
  path: null,
  label: kind,
  origin: { kind: 'parked' },
  rawBytes: bytes,
  withheld: false,
  fields: [
    ...(candidate === null ? [] : [{ name: 'candidate' as const, value: candidate }]),
    ...(field === null ? [] : [{ name: 'field' as const, value: field }]),
  ],
});

const tooLarge = (key: string, bytes: number, limit: number): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `${key} has ${bytes} bytes; at most ${limit} (four times the cap, or 64 MiB) are read. Narrow the reading's include list, or raise the cap.`,
    { facts: { item: key, bytes, limit_bytes: limit } },
  );

/** Small texts together up to this many bytes; one that is larger stands alone. */
const BATCH_BYTES = 256 * 1024;

/** Placeholders may be longer than what they stand for; virtual until it is written. */
const ROOM_TO_SPARE_BYTES = 16 * 1024 * 1024;

/**
 * The texts in batches, all in one piece of memory that threads share, one after the other up to its end. The room before
 * them takes the document that is framed from them, which is never longer than the parked file but for its placeholders:
 * so a reading is held once. A text that differs from its manifest by now is `READING_INVALID`: the hash is judged again.
 */
export async function* openReadingItems(
  reading: ParkedReading,
  plan: ItemPlan,
  signal: AbortSignal,
): AsyncGenerator<readonly LoadedItem[], void, undefined> {
  const { items } = reading.manifest;
  const textBytes = items.reduce((sum, { bytes }) => sum + bytes, 0);
  const room = new SharedArrayBuffer(Math.max(reading.bundle.bytes, textBytes) + ROOM_TO_SPARE_BYTES);
  let end = room.byteLength - textBytes;
  let text = new Uint8Array(room, end, 0);
  const target = (_index: number, { bytes }: ManifestItem): Uint8Array => {
    text = new Uint8Array(room, end, bytes);
    end += bytes;
    return text;
  };
  let batch: LoadedItem[] = [];
  let batchBytes = 0;
  for await (const index of readBundleItems(reading.bundle, reading.manifest, target, signal)) {
    const item = plan.items[index];
    if (item === undefined) throw new ColdsealError('INTERNAL', 'a reading was planned with fewer items than it has');
    if (batch.length > 0 && batchBytes + text.length > BATCH_BYTES) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push({ item, text, rawBytes: text.length, omitted: null, lossy: 0, encoding: null });
    batchBytes += text.length;
  }
  if (batch.length > 0) yield batch;
}

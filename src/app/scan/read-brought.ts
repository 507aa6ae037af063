/**
 * What commits or the index bring, as texts: git objects read in batches, each with what stood at its path before. A large
 * one that can be nothing but binary is told by its beginning, as a file of a work tree is, and not held.
 */
import type { BroughtFile, Repository } from '../../contract/repository.js';
import { passingOverBinary } from '../../source/pass-over-binary.js';
import {
  type Brought,
  binaryDetail,
  LARGEST_TEXT_BYTES,
  readTogether,
  type SourceBatch,
  type SourceEntry,
  tooLarge,
} from './scan-source.js';

export interface BroughtObject extends Pick<BroughtFile, 'path' | 'mode' | 'objectId'> {
  readonly brought: Brought;
}

export interface BroughtReading {
  readonly signal: AbortSignal;
  /** What is no text is read whole as well. */
  readonly includesBinary: boolean;
  /** Sizes in the order of the objects, where they were asked before. */
  readonly sizes?: readonly number[];
}

interface SizedObject extends BroughtObject {
  readonly size: number;
}

const SUBMODULE = '160000';

const isRead = ({ mode, size }: SizedObject): boolean => mode !== SUBMODULE && size <= LARGEST_TEXT_BYTES;

const readGroup = async (
  repository: Repository,
  group: readonly SizedObject[],
  target: Uint8Array,
  { signal, includesBinary }: BroughtReading,
): Promise<readonly SourceEntry[]> => {
  let at = 0;
  const entries = group.map((object): SourceEntry => {
    const { path, mode, size, brought } = object;
    if (mode === SUBMODULE) {
      return { kind: 'unscanned', path, reason: 'repository', detail: 'a submodule; scan it with -C' };
    }
    if (!isRead(object)) return { kind: 'unscanned', path, reason: 'too-large', detail: tooLarge(size) };
    at += size;
    return { kind: 'text', path, bytes: target.subarray(at - size, at), brought };
  });
  const binary = new Set<number>();
  const reads = group.flatMap((object, index) => {
    const entry = entries[index];
    if (entry?.kind !== 'text') return [];
    const read = { objectId: object.objectId, size: object.size, target: entry.bytes };
    return [includesBinary ? read : passingOverBinary(read, () => binary.add(index))];
  });
  if (reads.length > 0) for await (const _whole of repository.readBlobs(reads, signal)) signal.throwIfAborted();
  return entries.map((entry, index) => (binary.has(index) ? binaryEntry(group[index], entry) : entry));
};

const binaryEntry = (object: SizedObject | undefined, { path }: SourceEntry): SourceEntry => ({
  kind: 'unscanned',
  path,
  reason: 'binary',
  detail: binaryDetail(object?.size ?? 0),
});

/** Bytes of each, in the order given; a submodule has none. `ITEM_UNREADABLE` for an object that is not there. */
export const sizesOf = async (
  repository: Repository,
  objects: readonly BroughtObject[],
): Promise<readonly number[]> => {
  const ids = [...new Set(objects.filter(({ mode }) => mode !== SUBMODULE).map(({ objectId }) => objectId))];
  const sizes = await repository.blobSizes(ids);
  const sizeOf = new Map(ids.map((id, at) => [id, sizes[at] ?? 0]));
  return objects.map(({ objectId }) => sizeOf.get(objectId) ?? 0);
};

/** In the order given. `ITEM_UNREADABLE` for what is not there. */
export async function* readBrought(
  repository: Repository,
  objects: readonly BroughtObject[],
  reading: BroughtReading,
): AsyncGenerator<SourceBatch> {
  const sizes = reading.sizes ?? (await sizesOf(repository, objects));
  const sized = objects.map((object, at): SizedObject => ({ ...object, size: sizes[at] ?? 0 }));
  for (const { group, bytes } of readTogether(sized, (object) => (isRead(object) ? object.size : 0))) {
    yield { bytes, load: (take) => readGroup(repository, group, take(bytes), reading) };
  }
}

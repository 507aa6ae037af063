/** What commits or the index bring, as texts: git objects read in batches, each with what stood at its path before. */
import type { BroughtFile, Repository } from '../../contract/repository.js';
import {
  BATCH_BYTES,
  type Brought,
  LARGEST_TEXT_BYTES,
  type SourceBatch,
  type SourceEntry,
  tooLarge,
} from './scan-source.js';

export interface BroughtObject extends Pick<BroughtFile, 'path' | 'mode' | 'objectId'> {
  readonly brought: Brought;
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
  signal: AbortSignal,
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
  const reads = group.flatMap(({ objectId, size }, index) => {
    const entry = entries[index];
    return entry?.kind === 'text' ? [{ objectId, size, target: entry.bytes }] : [];
  });
  if (reads.length > 0) for await (const _whole of repository.readBlobs(reads, signal)) signal.throwIfAborted();
  return entries;
};

const batchOf = (
  repository: Repository,
  group: readonly SizedObject[],
  bytes: number,
  signal: AbortSignal,
): SourceBatch => ({ bytes, load: (take) => readGroup(repository, group, take(bytes), signal) });

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

/** In the order given. `known` are their sizes where they were asked before. `ITEM_UNREADABLE` for what is not there. */
export async function* readBrought(
  repository: Repository,
  objects: readonly BroughtObject[],
  signal: AbortSignal,
  known: readonly number[] | null = null,
): AsyncGenerator<SourceBatch> {
  const sizes = known ?? (await sizesOf(repository, objects));
  let group: SizedObject[] = [];
  let bytes = 0;
  for (const [at, object] of objects.entries()) {
    const sized = { ...object, size: sizes[at] ?? 0 };
    const more = isRead(sized) ? sized.size : 0;
    if (group.length > 0 && bytes + more > BATCH_BYTES) {
      yield batchOf(repository, group, bytes, signal);
      group = [];
      bytes = 0;
    }
    group.push(sized);
    bytes += more;
  }
  if (group.length > 0) yield batchOf(repository, group, bytes, signal);
}

/** The files of a reading as texts, from git objects, in the order they were selected. */
import { LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { ItemPlan, PlannedItem } from '../contract/item.js';
import { LARGEST_READING_FILE_BYTES } from '../contract/reading.js';
import type { Repository, TreeEntry } from '../contract/repository.js';
import type { ReadFile } from '../kinds/write-reading.js';
import { openItems } from '../source/open-items.js';

const SUBMODULE = 'commit';

/** Each file once, in order; `null` for what is no text. Nothing is read ahead. */
export async function* readFiles(
  repository: Repository,
  files: readonly TreeEntry[],
  signal: AbortSignal,
): AsyncGenerator<ReadFile, void, undefined> {
  const plan = await planFiles(repository, files);
  for await (const batch of openItems({ plan, repository, capBytes: LARGEST_CAP_BYTES, signal })) {
    for (const { item, text, omitted } of batch) {
      yield { path: item.path ?? new Uint8Array(0), text: omitted === null ? text : null };
    }
  }
}

/** Sizes are judged before anything is read. */
const planFiles = async (repository: Repository, files: readonly TreeEntry[]): Promise<ItemPlan> => {
  const blobs = files.filter(({ type }) => type !== SUBMODULE);
  const sizes = await repository.blobSizes(blobs.map(({ objectId }) => objectId));
  const sizeOf = new Map(blobs.map((entry, at) => [entry, sizes[at] ?? 0]));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > LARGEST_READING_FILE_BYTES) {
    throw new ColdsealError(
      'ITEM_TOO_LARGE',
      `The included files have ${total} bytes; a reading has at most ${LARGEST_READING_FILE_BYTES} (256 MiB). Narrow the include list.`,
      { facts: { bytes: total, limit_bytes: LARGEST_READING_FILE_BYTES } },
    );
  }
  const items = files.map((file, at): PlannedItem => {
    const place = { id: `itm-${at + 1}`, input: 'items', path: file.path, label: null, withheld: false } as const;
    const { objectId, mode } = file;
    if (file.type !== SUBMODULE) {
      return { ...place, origin: { kind: 'blob', objectId, mode }, rawBytes: sizeOf.get(file) ?? 0 };
    }
    const bytes = Buffer.from(`Subproject commit ${objectId}\n`);
    return { ...place, origin: { kind: 'text', bytes }, rawBytes: bytes.length };
  });
  return { kind: 'reading', listOrigin: 'compiled', range: null, items, deleted: [] };
};

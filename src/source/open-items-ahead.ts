/**
 * The plan's items for whoever takes them in any order: a diff is made by one git while another reads the files, and the
 * next group of small files is read while the last one is looked at.
 *
 * Memory stays bounded by whoever pulls: read ahead is one group of small items at most, and beside a diff that has grown
 * large nothing more is read until it is there.
 */
import { followSignals } from '../contract/follow-signals.js';
import type { LoadedItem, PlannedItem } from '../contract/item.js';
import { mostItemBytes } from '../contract/item-bounds.js';
import { GROUP_BYTES, groupItems, sharedRuns } from './group-items.js';
import { loadBatch, roomBytes } from './load-batch.js';
import { loadDiff } from './load-diff.js';
import type { OpenItemsRequest } from './open-items.js';

type Batch = readonly LoadedItem[];

/** A diff that is larger is waited for before anything else is read. */
const BESIDE_BYTES = 16 * 1024 * 1024;

interface Begun {
  readonly batch: Promise<Batch>;
  readonly hasEnded: () => boolean;
  /** Bytes that it holds so far. */
  readonly bytes: () => number;
}

/** A fault is told when the batch is taken. */
const begin = (load: (onBytes: (bytes: number) => void) => Promise<Batch>): Begun => {
  let held = 0;
  let ended = false;
  const batch = load((bytes) => {
    held = bytes;
  });
  const end = (): void => {
    ended = true;
  };
  batch.then(end, end);
  return { batch, hasEnded: () => ended, bytes: () => held };
};

/** Each item once, in any order. Fails as `openItems` does, and leaves nothing running behind. */
export async function* openItemsAhead(request: OpenItemsRequest): AsyncGenerator<Batch, void, undefined> {
  const { plan, repository, capBytes } = request;
  const stop = followSignals([request.signal]);
  const { signal } = stop;
  const mostBytes = mostItemBytes(capBytes);
  const groups = groupItems(plan.items);
  let diff: Begun | null = null;
  let ahead: Begun | null = null;
  try {
    for (const group of groups) {
      signal.throwIfAborted();
      const [first] = group;
      if (first?.origin.kind === 'diff') {
        const { origin } = first;
        if (diff !== null) yield await diff.batch;
        diff = begin(async (onBytes) => [
          await loadDiff({ repository, item: first, origin, mostBytes, signal, onBytes }),
        ]);
        continue;
      }
      // Taken first, so that a large group is not begun while one ahead of it is held.
      const isSmall = bytesOf(group) <= GROUP_BYTES;
      const next: Begun | null = isSmall ? begin(() => loadBatch(repository, group, signal)) : null;
      const before: Begun | null = ahead;
      ahead = next;
      if (before !== null) yield* sharedRuns(await before.batch);
      if (diff !== null && (diff.hasEnded() || diff.bytes() > BESIDE_BYTES)) {
        yield await diff.batch;
        diff = null;
      }
      if (!isSmall) yield* sharedRuns(await loadBatch(repository, group, signal));
    }
    if (ahead !== null) yield* sharedRuns(await ahead.batch);
    if (diff !== null) yield await diff.batch;
  } finally {
    stop.abort(new Error('nobody takes the items any more'));
    await Promise.allSettled([diff?.batch, ahead?.batch]);
  }
}

const bytesOf = (group: readonly PlannedItem[]): number => group.reduce((sum, item) => sum + roomBytes(item), 0);

/**
 * The plan's items as they are read, in list order. Nothing is read ahead: a batch is read when it is pulled, so whoever
 * pulls bounds the memory. Items of one batch stand in one buffer, or are one item alone.
 */

import type { ItemPlan, LoadedItem, PlannedItem } from '../contract/item.js';
import { mostItemBytes } from '../contract/item-bounds.js';
import type { Repository } from '../contract/repository.js';
import { loadBatch, roomBytes } from './load-batch.js';
import { loadDiff } from './load-diff.js';

export interface OpenItemsRequest {
  readonly plan: ItemPlan;
  readonly repository: Repository;
  readonly capBytes: number;
  /** Ends git and the reading at once. */
  readonly signal: AbortSignal;
}

/** Small items together up to this many bytes; one that is larger stands alone. */
const BATCH_BYTES = 256 * 1024;

/** Each item once. `ITEM_UNREADABLE`, `ITEM_TOO_LARGE` (a diff), `GIT_FAILED`, or the signal's reason. */
export async function* openItems(request: OpenItemsRequest): AsyncGenerator<readonly LoadedItem[], void, undefined> {
  const { plan, repository, capBytes, signal } = request;
  for (const group of groupItems(plan.items)) {
    signal.throwIfAborted();
    const [first] = group;
    if (first?.origin.kind === 'diff') {
      const { origin } = first;
      yield [await loadDiff({ repository, item: first, origin, mostBytes: mostItemBytes(capBytes), signal })];
    } else {
      yield* sharedRuns(await loadBatch(repository, group, signal));
    }
  }
}

/** A diff alone; others together while they fit. */
function* groupItems(items: readonly PlannedItem[]): Generator<readonly PlannedItem[], void, undefined> {
  let group: PlannedItem[] = [];
  let bytes = 0;
  for (const item of items) {
    const isDiff = item.origin.kind === 'diff';
    const room = isDiff ? 0 : roomBytes(item);
    if (group.length > 0 && (isDiff || bytes + room > BATCH_BYTES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    if (isDiff) {
      yield [item];
      continue;
    }
    group.push(item);
    bytes += room;
  }
  if (group.length > 0) yield group;
}

/** Items that follow one another in the same buffer, together. */
function* sharedRuns(items: readonly LoadedItem[]): Generator<readonly LoadedItem[], void, undefined> {
  let run: LoadedItem[] = [];
  for (const item of items) {
    if (run.length > 0 && run[0]?.text.buffer !== item.text.buffer) {
      yield run;
      run = [];
    }
    run.push(item);
  }
  if (run.length > 0) yield run;
}

/**
 * The plan's items as they are read, in list order. Nothing is read ahead: a batch is read when it is pulled, so whoever
 * pulls bounds the memory. Items of one batch stand in one buffer, or are one item alone.
 */

import type { ItemPlan, LoadedItem } from '../contract/item.js';
import { mostItemBytes } from '../contract/item-bounds.js';
import type { Repository } from '../contract/repository.js';
import { groupItems, sharedRuns } from './group-items.js';
import { loadBatch } from './load-batch.js';
import { loadDiff } from './load-diff.js';

export interface OpenItemsRequest {
  readonly plan: ItemPlan;
  readonly repository: Repository;
  readonly capBytes: number;
  /** Ends git and the reading at once. */
  readonly signal: AbortSignal;
}

/** Each item once. `ITEM_UNREADABLE`, `ITEM_TOO_LARGE` (a diff), `GIT_FAILED`, or the signal's reason. */
export async function* openItems(request: OpenItemsRequest): AsyncGenerator<readonly LoadedItem[], void, undefined> {
  const { plan, repository, capBytes, signal } = request;
  for (const group of groupItems(plan.items)) {
    signal.throwIfAborted();
    const [first] = group;
    if (first?.origin.kind === 'diff') {
      const { origin } = first;
      const mostBytes = mostItemBytes(capBytes);
      yield [await loadDiff({ repository, item: first, origin, mostBytes, signal, onBytes: () => undefined })];
    } else {
      yield* sharedRuns(await loadBatch(repository, group, signal));
    }
  }
}

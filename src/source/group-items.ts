/**
 * How items are read together: a diff alone, a large one alone, small ones in groups that fill a message to a thread.
 */
import type { LoadedItem, PlannedItem } from '../contract/item.js';
import { roomBytes } from './load-batch.js';

/** Small items together up to this many bytes; one that is larger stands alone. */
export const GROUP_BYTES = 256 * 1024;

/** A diff alone; others together while they fit. */
export function* groupItems(items: readonly PlannedItem[]): Generator<readonly PlannedItem[], void, undefined> {
  let group: PlannedItem[] = [];
  let bytes = 0;
  for (const item of items) {
    const isDiff = item.origin.kind === 'diff';
    const room = isDiff ? 0 : roomBytes(item);
    if (group.length > 0 && (isDiff || bytes + room > GROUP_BYTES)) {
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
export function* sharedRuns(items: readonly LoadedItem[]): Generator<readonly LoadedItem[], void, undefined> {
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

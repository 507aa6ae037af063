/** Requests for an assembly of texts given in the test, over the plain scanner. */
import { DEFAULT_CAP_BYTES } from '../../src/contract/bundle.js';
import type { Span } from '../../src/contract/finding.js';
import type { ItemPlan, LoadedItem, PlannedItem } from '../../src/contract/item.js';
import type { RunEvent } from '../../src/contract/observer.js';
import type { Scanner } from '../../src/contract/scan.js';
import type { AssemblyRequest } from '../../src/pipeline/assembly-request.js';
import { profileOf } from './scan-fixtures.js';

export interface MadeItem {
  readonly text: string | Uint8Array;
  readonly path?: string | Uint8Array;
  readonly label?: string;
  readonly input?: PlannedItem['input'];
  readonly exempt?: readonly Span[];
  readonly loaded?: Partial<LoadedItem>;
  readonly withheld?: boolean;
}

export const planOf = (items: readonly MadeItem[], more: Partial<ItemPlan> = {}): ItemPlan => ({
  kind: 'change_review',
  listOrigin: 'compiled',
  range: { base: 'b'.repeat(40), head: 'c'.repeat(40) },
  deleted: [],
  ...more,
  items: items.map((item, index) => ({
    id: `itm-${String(index + 1).padStart(4, '0')}`,
    input: item.input ?? 'changed_files',
    path: item.path === undefined ? null : Buffer.from(item.path),
    label: item.label ?? null,
    origin:
      item.exempt === undefined
        ? { kind: 'blob', objectId: 'd'.repeat(40), mode: '100644' }
        : { kind: 'text', bytes: Buffer.from(item.text), exempt: item.exempt },
    rawBytes: item.input === 'diff' ? null : Buffer.from(item.text).length,
    withheld: item.withheld ?? false,
  })),
});

/** Batches of up to `batchItems` items, each batch in one shared buffer. `onPull` is told before each batch. */
export const sourceOf = (
  plan: ItemPlan,
  items: readonly MadeItem[],
  batchItems = 2,
  onPull: (batch: number) => void = () => undefined,
): AssemblyRequest['openItems'] =>
  async function* (signal) {
    for (let from = 0; from < items.length; from += batchItems) {
      signal.throwIfAborted();
      onPull(from / batchItems);
      const batch = items.slice(from, from + batchItems);
      const texts = batch.map(({ text }) => Buffer.from(text));
      const buffer = new SharedArrayBuffer(texts.reduce((sum, text) => sum + text.length, 0) + 3);
      let at = 3;
      yield batch.flatMap((made, index): readonly LoadedItem[] => {
        const item = plan.items[from + index];
        const bytes = texts[index];
        if (item === undefined || bytes === undefined) return [];
        const text = new Uint8Array(buffer, at, bytes.length);
        text.set(bytes);
        at += bytes.length;
        return [{ item, text, rawBytes: bytes.length, omitted: null, lossy: 0, encoding: null, ...made.loaded }];
      });
    }
  };

export interface MadeAssembly extends AssemblyRequest {
  readonly events: RunEvent[];
}

export const assemblyOf = (
  items: readonly MadeItem[],
  scanner: Scanner,
  more: Partial<AssemblyRequest> = {},
): MadeAssembly => {
  const plan = more.plan ?? planOf(items);
  const events: RunEvent[] = [];
  const cap = more.cap ?? { bytes: DEFAULT_CAP_BYTES, origin: 'default', key: 'oracle.bundles.cap' };
  return {
    plan,
    openItems: sourceOf(plan, items),
    scanner,
    profile: profileOf(),
    system: Buffer.from('You review changes.\n'),
    cap,
    knownValues: [],
    isAllowed: () => false,
    project: 'a'.repeat(40),
    stopAtBytes: cap.bytes,
    inFlightBytes: 64 * 1024 * 1024,
    signal: new AbortController().signal,
    observe: (event) => events.push(event),
    monotonicMs: () => 0,
    ...more,
    events,
  };
};

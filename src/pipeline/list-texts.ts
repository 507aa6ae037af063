/**
 * The bundle's texts in the order of the framed bytes: each item's name, then its text; after all items the system
 * message; last the names of deleted files, which are printed and recorded but not framed.
 */
import type { BundleText } from '../bundle/bundle-text.js';
import { BUNDLE_WARNING } from '../contract/bundle.js';
import type { ItemPlan, LoadedItem, PlannedItem } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import { packShared } from './batch-texts.js';

export const nameRef = (itemIndex: number): number => 2 * itemIndex;
export const textRef = (itemIndex: number): number => 2 * itemIndex + 1;
export const systemRef = (plan: ItemPlan): number => 2 * plan.items.length;

/** What is known before an item is read, by ref; items' texts are missing. */
export const listNames = (plan: ItemPlan, system: Uint8Array): ReadonlyMap<number, BundleText> => {
  const names = plan.items.map((item) => Buffer.from(printableName(item)));
  const deleted = plan.deleted.map((path) => Buffer.from(printablePath(path)));
  const packed = packShared([...names, withWarning(system), ...deleted]);
  const count = plan.items.length;
  return new Map(
    packed.map((bytes, index): [number, BundleText] => {
      const item = plan.items[index];
      if (item !== undefined) return [nameRef(index), plainText(item.id, 'name', bytes)];
      return index === count
        ? [systemRef(plan), plainText('system', 'system', bytes)]
        : [systemRef(plan) + index - count, plainText('deleted', 'deleted', bytes)];
    }),
  );
};

export const itemText = ({ item, text }: LoadedItem): BundleText => ({
  ...plainText(item.id, 'text', text),
  keepsSigns: item.input === 'diff',
  exempt: item.origin.kind === 'text' ? (item.origin.exempt ?? []) : [],
});

const plainText = (item: string, part: BundleText['part'], bytes: Uint8Array): BundleText => ({
  item,
  part,
  bytes,
  keepsSigns: false,
  exempt: [],
  spans: [],
});

const printableName = ({ path, label }: PlannedItem): string =>
  path !== null ? printablePath(path) : label === null ? '' : printablePath(Buffer.from(label));

/** Every system message tells the reader what it will read. */
const withWarning = (system: Uint8Array): Uint8Array => {
  const bytes = Buffer.from(system.buffer, system.byteOffset, system.byteLength);
  if (bytes.includes(BUNDLE_WARNING)) return bytes;
  const gap = bytes.length === 0 ? '' : bytes.at(-1) === 0x0a ? '\n' : '\n\n';
  return Buffer.concat([bytes, Buffer.from(`${gap}${BUNDLE_WARNING}\n`)]);
};

/**
 * The bundle's texts in the order of the framed bytes: the strings before a reading's items, each item's name and what
 * stands beside it, then its text; after all items the system message; last the names of deleted files, which are printed
 * and recorded but not framed.
 */
import type { BundleText } from '../bundle/bundle-text.js';
import { readingStrings } from '../bundle/frame-reading.js';
import { BUNDLE_WARNING } from '../contract/bundle.js';
import type { ItemPlan, LoadedItem, PlannedItem } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import { packShared } from './batch-texts.js';

/** Where each text of a plan stands in the list. */
export interface TextLayout {
  readonly count: number;
  readonly headCount: number;
  readonly systemRef: number;
  /** An item's fields stand between its name and its text. */
  nameRef(itemIndex: number): number;
  textRef(itemIndex: number): number;
  /** The item that a text belongs to, or -1. */
  itemIndexOf(ref: number): number;
}

export const textLayout = (plan: ItemPlan): TextLayout => {
  const headCount = plan.reading === undefined ? 0 : readingStrings(plan.reading).length;
  const nameRefs = new Int32Array(plan.items.length + 1);
  let next = headCount;
  for (const [index, { fields }] of plan.items.entries()) {
    nameRefs[index] = next;
    next += (fields?.length ?? 0) + 2;
  }
  nameRefs[plan.items.length] = next;
  const itemOfRef = new Int32Array(next).fill(-1);
  for (let index = 0; index < plan.items.length; index += 1) {
    itemOfRef.fill(index, nameRefs[index] ?? 0, nameRefs[index + 1] ?? 0);
  }
  const at = (index: number): number => nameRefs[index] ?? next;
  return {
    count: next + 1 + plan.deleted.length,
    headCount,
    systemRef: next,
    nameRef: at,
    textRef: (index) => at(index + 1) - 1,
    itemIndexOf: (ref) => itemOfRef[ref] ?? -1,
  };
};

/** What is known before an item is read, by ref; items' texts are missing. */
export const listNames = (plan: ItemPlan, layout: TextLayout, system: Uint8Array): ReadonlyMap<number, BundleText> => {
  const listed: [ref: number, text: Omit<BundleText, 'bytes'>, bytes: Uint8Array][] = [];
  for (const [ref, { value, isOurHash }] of (plan.reading === undefined
    ? []
    : readingStrings(plan.reading)
  ).entries()) {
    const bytes = Buffer.from(value);
    const exempt = isOurHash ? [{ start: 0, end: bytes.length }] : [];
    listed.push([ref, { ...plainText('document', 'head'), exempt }, bytes]);
  }
  for (const [index, item] of plan.items.entries()) {
    const ref = layout.nameRef(index);
    listed.push([ref, plainText(item.id, 'name'), Buffer.from(printableName(item))]);
    for (const [at, { value }] of (item.fields ?? []).entries()) {
      listed.push([ref + 1 + at, plainText(item.id, 'field'), Buffer.from(value)]);
    }
  }
  listed.push([layout.systemRef, plainText('system', 'system'), withWarning(system)]);
  for (const [at, path] of plan.deleted.entries()) {
    listed.push([layout.systemRef + 1 + at, plainText('deleted', 'deleted'), Buffer.from(printablePath(path))]);
  }
  const packed = packShared(listed.map(([, , bytes]) => bytes));
  return new Map(listed.map(([ref, text, bytes], at) => [ref, { ...text, bytes: packed[at] ?? bytes }]));
};

export const itemText = ({ item, text }: LoadedItem): BundleText => ({
  ...plainText(item.id, 'text'),
  bytes: text,
  keepsSigns: item.input === 'diff',
  exempt: item.origin.kind === 'text' ? (item.origin.exempt ?? []) : [],
});

const plainText = (item: string, part: BundleText['part']): Omit<BundleText, 'bytes'> => ({
  item,
  part,
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

/**
 * The two judgements on the cap, put into words: stopped while scanning, or too large once everything was blanked.
 * Items are weighed as they are read, in both: a plan and a send name the same figure for the same item.
 */
import type { BundleDescription } from '../bundle/describe-bundle.js';
import { refuseOverCap, type WeighedItem } from '../bundle/refuse-over-cap.js';
import type { ColdsealError } from '../contract/error.js';
import type { LoadedItem } from '../contract/item.js';
import type { AssemblyRequest } from './assembly-request.js';

/** `cleanName` gives a name without a finding as it may be shown, and `null` for one with a finding. */
export const refuseStopped = (
  { plan, cap, stopAtBytes }: AssemblyRequest,
  loaded: ReadonlyMap<number, LoadedItem>,
  cleanName: (itemIndex: number) => string | null,
): ColdsealError => {
  const sizes = plan.items.map((item, index) => loaded.get(index)?.rawBytes ?? item.rawBytes);
  const items = plan.items.map((item, index): WeighedItem => {
    const name = cleanName(index);
    const path = name === null || item.withheld ? null : item.path;
    return { id: item.id, input: item.input, name: name ?? '[withheld]', path, rawBytes: sizes[index] ?? null };
  });
  return refuseOverCap({
    cap,
    rawBytes: sizes.reduce((sum: number, size) => sum + (size ?? 0), 0),
    rawIsWhole: !sizes.includes(null),
    // How far the scan had come depends on the threads; what is certain is one byte more than the limit.
    bytes: stopAtBytes + 1,
    isStopped: true,
    items: items.filter((_item, index) => plan.items[index]?.withheld !== true),
  });
};

/** `null` when both figures are within the cap. */
export const refuseSealed = (
  { plan, cap }: AssemblyRequest,
  description: BundleDescription,
  blankedBytesBeforeEcho: number,
): ColdsealError | null => {
  const bytes = Math.max(description.bytes, blankedBytesBeforeEcho);
  if (bytes <= cap.bytes) return null;
  const items = description.items.flatMap((item, index): readonly WeighedItem[] => {
    if (item.omitted !== null) return [];
    const path = item.nameBlanked ? null : (plan.items[index]?.path ?? null);
    return [{ id: item.id, input: item.input, name: item.path ?? item.label ?? '', path, rawBytes: item.rawBytes }];
  });
  return refuseOverCap({ cap, rawBytes: description.rawBytes, rawIsWhole: true, bytes, isStopped: false, items });
};

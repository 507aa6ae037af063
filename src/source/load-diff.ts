/**
 * The difference of a range as one item. Sections are decoded one by one as git prints them, a withheld one never gets
 * further than its place, and the text is laid out once, in shared memory.
 */
import type { ItemOrigin, LoadedItem, PlannedItem } from '../contract/item.js';
import type { Repository } from '../contract/repository.js';
import { decodeSection } from './decode-section.js';
import { withheldLine } from './fixed-lines.js';

type DiffOrigin = Extract<ItemOrigin, { kind: 'diff' }>;

export interface DiffRequest {
  readonly repository: Repository;
  readonly item: PlannedItem;
  readonly origin: DiffOrigin;
  /** Over this git is stopped: `ITEM_TOO_LARGE`. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  /** Told how many bytes are held, as they come. */
  readonly onBytes: (bytes: number) => void;
}

export const loadDiff = async (request: DiffRequest): Promise<LoadedItem> => {
  const { repository, item, origin, mostBytes, signal, onBytes } = request;
  const { base, head, changes, withheld } = origin;
  const parts: Uint8Array[] = [];
  let lossy = 0;
  let held = 0;
  for await (const section of repository.diff(base, head, changes, mostBytes, signal)) {
    const change = changes[section.change];
    if (change !== undefined && withheld.has(section.change)) {
      parts.push(withheldLine(change.path));
      continue;
    }
    held += section.bytes.length;
    onBytes(held);
    const decoded = decodeSection(section.bytes);
    // One by one: a section may have more parts than a call takes arguments.
    for (const part of decoded.parts) parts.push(part);
    lossy += decoded.lossy;
  }
  const text = layOut(parts);
  return { item, text, rawBytes: text.length, omitted: null, lossy, encoding: null };
};

/** Empties `parts` on the way, so that the text does not stand in memory twice for longer than it must. */
const layOut = (parts: Uint8Array[]): Uint8Array => {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const text = new Uint8Array(new SharedArrayBuffer(size));
  let at = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? new Uint8Array(0);
    text.set(part, at);
    at += part.length;
    parts[index] = new Uint8Array(0);
  }
  return text;
};

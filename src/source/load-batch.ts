/**
 * Several small items, or one large, in one piece of shared memory: bytes go from git to where threads will look at them
 * without a copy between. A large binary file is told by its beginning and not held. An item that has to be decoded gets memory of its own; a fixed line is written over the bytes it
 * stands for.
 */
import type { LoadedItem, PlannedItem } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import type { BlobRead, Repository } from '../contract/repository.js';
import { type Decoded, decodeText } from './decode-text.js';
import { binaryLine, withheldLine } from './fixed-lines.js';
import { passingOverBinary } from './pass-over-binary.js';

/** An item with the place that is kept for it. */
interface Place {
  readonly item: PlannedItem;
  readonly rawBytes: number;
  /** Of the kept place: its bytes as read come first. */
  readonly room: Uint8Array;
  /** Known to be binary before it was whole: the rest was passed over, so its memory was never touched. */
  isBinary: boolean;
}

const nameOf = ({ id, path, label }: PlannedItem): string => (path === null ? (label ?? id) : printablePath(path));

const rawBytesOf = ({ origin, rawBytes }: PlannedItem): number =>
  origin.kind === 'text' ? origin.bytes.length : (rawBytes ?? 0);

/** Bytes kept for an item: what it holds, or the line that may stand for it. */
export const roomBytes = (item: PlannedItem): number => {
  if (item.withheld) return withheldLine(item.path ?? Buffer.from(nameOf(item))).length;
  return Math.max(rawBytesOf(item), binaryLine(nameOf(item), rawBytesOf(item)).length);
};

/** Items in order; those that follow one another in one buffer may be scanned in one message. */
export const loadBatch = async (
  repository: Repository,
  items: readonly PlannedItem[],
  signal: AbortSignal,
): Promise<readonly LoadedItem[]> => {
  const places = keepPlaces(items);
  const reads = [...readsOf(places)];
  if (reads.length > 0) for await (const _whole of repository.readBlobs(reads, signal)) signal.throwIfAborted();
  return places.map(settle);
};

const keepPlaces = (items: readonly PlannedItem[]): readonly Place[] => {
  const rooms = items.map(roomBytes);
  const buffer = new SharedArrayBuffer(rooms.reduce((sum, bytes) => sum + bytes, 0));
  let at = 0;
  return items.map((item, index) => {
    const bytes = rooms[index] ?? 0;
    const room = new Uint8Array(buffer, at, bytes);
    at += bytes;
    return { item, rawBytes: rawBytesOf(item), room, isBinary: false };
  });
};

function* readsOf(places: readonly Place[]): Generator<BlobRead, void, undefined> {
  for (const place of places) {
    const { item, rawBytes, room } = place;
    if (item.withheld || item.origin.kind !== 'blob') continue;
    const read = { objectId: item.origin.objectId, size: rawBytes, target: room.subarray(0, rawBytes) };
    yield passingOverBinary(read, () => {
      place.isBinary = true;
    });
  }
}

const settle = ({ item, rawBytes, room, isBinary }: Place): LoadedItem => {
  if (item.withheld) {
    room.set(withheldLine(item.path ?? Buffer.from(nameOf(item))));
    return { item, text: room, rawBytes, omitted: 'withheld', lossy: 0, encoding: null };
  }
  if (item.origin.kind === 'text') room.set(item.origin.bytes);
  const raw = room.subarray(0, rawBytes);
  const decoded: Decoded = isBinary ? { kind: 'binary' } : decodeText(raw);
  switch (decoded.kind) {
    case 'same':
      return { item, text: raw.subarray(decoded.start), rawBytes, omitted: null, lossy: 0, encoding: null };
    case 'decoded': {
      const { lossy, encoding } = decoded;
      const text = new Uint8Array(new SharedArrayBuffer(decoded.text.length));
      text.set(decoded.text);
      return { item, text, rawBytes, omitted: null, lossy, encoding };
    }
    case 'binary': {
      const line = binaryLine(nameOf(item), rawBytes);
      room.set(line);
      return { item, text: room.subarray(0, line.length), rawBytes, omitted: 'binary', lossy: 0, encoding: null };
    }
    default:
      return decoded satisfies never;
  }
};

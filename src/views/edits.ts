/**
 * What one decoder wants to change in a text: ranges in ascending order that do not overlap. A decoder only finds and
 * writes; cutting the text around its edits into views is the same for all of them.
 */
import { addCodePoint, type LayerDraft } from './layer-draft.js';
import type { ViewName } from './view-name.js';

export type FreshIn = 'segment' | 'edit' | 'all';

export interface Edits {
  readonly name: ViewName;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Writes what edit `index` decodes to, with its pieces; writes nothing where the range is dropped. */
  write(draft: LayerDraft, index: number, outer: Uint8Array): void;
  /**
   * In a text that was decoded already, an edit is new only where that decoding changed something: in the segment around
   * it (an escape may stand beside another one's result), or in the very bytes of the edit. `all` are known to be new.
   */
  readonly freshIn: FreshIn;
  /** Bytes beyond the plain context in which a token that runs on is still taken whole. */
  readonly reachBytes: number;
  /** Whether a segment that holds the edits `[first, last]` is worth a view. */
  worth?(first: number, last: number): boolean;
}

/** Edits that replace a range by one code point, or by nothing. */
export interface PointEdits extends Edits {
  readonly starts: number[];
  readonly ends: number[];
  readonly points: number[];
}

/**
 * Told the edits of a text, a list or a part of one at a time; answers whether it wants more. A call a list: most texts
 * are views of some hundred bytes, for which an iterator would cost as much as the finding.
 */
export type TakeEdits = (edits: Edits) => boolean;

/** A range that is dropped. */
export const DROPPED = -1;

export const pointEdits = (name: ViewName, freshIn: FreshIn, reachBytes: number): PointEdits => {
  const starts: number[] = [];
  const ends: number[] = [];
  const points: number[] = [];
  return {
    name,
    starts,
    ends,
    points,
    freshIn,
    reachBytes,
    write(draft, index) {
      const point = points[index] ?? DROPPED;
      if (point !== DROPPED) addCodePoint(draft, point, starts[index] ?? 0, ends[index] ?? 0);
    },
  };
};

export const addEdit = (edits: PointEdits, start: number, end: number, point: number): void => {
  edits.starts.push(start);
  edits.ends.push(end);
  edits.points.push(point);
};

/** A text with more edits than this is read in parts, each of at least so many bytes: what parts share costs little then. */
export const PART_EDITS = 64 * 1024;
export const PART_BYTES = 256 * 1024;
/** Bytes that two parts share at least, so that a value is whole in one of them: a key of 4096 bits in `\uXXXX` has 19,000. */
const OVERLAP_BYTES = 24 * 1024;

/** Whether a part is full: lists and view of a part are all that is held of a text's edits, however many there are. */
export const isFullPart = ({ starts, ends }: PointEdits): boolean =>
  starts.length >= PART_EDITS && (ends.at(-1) ?? 0) - (starts[0] ?? 0) >= PART_BYTES;

/**
 * Where the part after a full one begins: at an edit of it, so that reading goes on in step, before its last bytes; behind
 * its first half in any case, so that parts end.
 */
export const overlapStart = ({ starts, ends }: PointEdits): number => {
  const wanted = (ends.at(-1) ?? 0) - OVERLAP_BYTES;
  let index = starts.length >> 1;
  while (index < starts.length - 1 && (starts[index + 1] ?? 0) <= wanted) index += 1;
  return starts[index] ?? 0;
};

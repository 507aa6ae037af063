/**
 * The bounds on decoding one item. Reaching one is never a skip: the item's scan ends and the run is refused. The clock is
 * an argument, so a test decides what time it is.
 */
export interface ViewLimits {
  /** Bytes of all views together, context counted. */
  readonly decodedBytes: number;
  /** Milliseconds from the first look at the item, the visitor's own work included. */
  readonly timeMs: number;
  /** Milliseconds from any fixed point, never going back. */
  readonly nowMs: () => number;
}

const DECODED_TIMES_ITEM = 8;
/** What a tiny item may decode to; context alone is more than eight times such an item. */
const LEAST_DECODED_BYTES = 128 * 1024;
const BASE_TIME_MS = 2000;
const TIME_MS_PER_MIB = 1000;
/** Forms inside forms: base64 in JSON in percent is three. */
export const MOST_DEPTH = 5;

const MIB = 1024 * 1024;

/** The limits in force for an item of this size. */
export const viewLimits = (itemBytes: number, nowMs: () => number): ViewLimits => ({
  decodedBytes: Math.max(LEAST_DECODED_BYTES, DECODED_TIMES_ITEM * itemBytes),
  timeMs: BASE_TIME_MS + Math.ceil((TIME_MS_PER_MIB * itemBytes) / MIB),
  nowMs,
});

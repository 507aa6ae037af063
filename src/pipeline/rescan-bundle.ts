/**
 * The re-scan: what would leave is scanned once more as it would leave, frame and all.
 *
 * The message is cut at items' header lines so that all threads work, always at the same places. Each piece reaches some
 * way into the next, so that what stands across a cut is seen whole by the piece before it.
 */
import type { PlacedText } from '../bundle/blank.js';
import type { BundleText, KnownSpan } from '../bundle/bundle-text.js';
import type { Framed } from '../bundle/frame.js';
import type { Span } from '../contract/finding.js';
import type { SecretValue } from '../contract/scan.js';
import { batchTexts } from './batch-texts.js';
import { spansHeard } from './known-spans.js';
import { runWindow, type WindowBounds } from './run-window.js';
import { type Heard, type ScanWork, scanBatch } from './scan-texts.js';

export interface Rescanned {
  /** In message bytes, unmerged, in the order of the pieces. */
  readonly message: readonly KnownSpan[];
  /** In the system message's bytes. */
  readonly system: readonly KnownSpan[];
  readonly scannedBytes: number;
}

const PIECE_BYTES = 512 * 1024;
const OVERLAP_BYTES = 4 * 1024;

/** A piece to scan; what starts at `ownEnd` or later belongs to the next piece. */
interface Piece extends Span {
  readonly ownEnd: number;
  readonly firstItem: string;
}

export const rescanBundle = async (
  work: ScanWork,
  framed: Framed,
  system: PlacedText,
  idOf: (value: SecretValue) => number,
  bounds: WindowBounds,
): Promise<Rescanned> => {
  const pieces = cutAtItems(framed);
  const texts: readonly Pick<BundleText, 'item' | 'bytes'>[] = [
    ...pieces.map(({ start, end, firstItem }) => ({ item: firstItem, bytes: framed.message.subarray(start, end) })),
    system,
  ];
  const heard = new Map<number, Heard>();
  await runWindow(
    () => texts.flatMap((text, ref) => [...batchTexts([{ ref, text }])]),
    async (batch, signal) => {
      const nameOf = (ref: number) => {
        const item = texts[ref]?.item ?? 'system';
        return { item, shown: item === 'system' ? 'the blanked system message' : `the framed bundle at ${item}` };
      };
      const answers = await scanBatch(work, batch, nameOf, signal);
      for (const [ref, answer] of answers) heard.set(ref, answer);
    },
    bounds,
  );
  const spansOf = (ref: number): readonly KnownSpan[] => {
    const answer = heard.get(ref);
    return answer === undefined ? [] : spansHeard(answer, idOf);
  };
  return {
    message: pieces.flatMap((piece, ref) => ownSpans(piece, spansOf(ref), framed.message.length)),
    system: spansOf(pieces.length),
    scannedBytes: [...heard.values()].reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
  };
};

const cutAtItems = (framed: Framed): readonly Piece[] => {
  const { length } = framed.message;
  const cuts: { at: number; item: string }[] = [{ at: 0, item: framed.items[0]?.text.item ?? 'its frame' }];
  for (const { start, text } of framed.items) {
    const last = cuts.at(-1)?.at ?? 0;
    if (text.place.end - last > PIECE_BYTES && start > last) cuts.push({ at: start, item: text.item });
  }
  return cuts.map(({ at, item }, index) => {
    const ownEnd = cuts[index + 1]?.at ?? length;
    return { start: at, ownEnd, end: Math.min(length, ownEnd + OVERLAP_BYTES), firstItem: item };
  });
};

/**
 * In message bytes. A finding that starts in the overlap and touches its end may owe itself to the cut: the next piece
 * sees that place whole and is the one to judge it.
 */
const ownSpans = (piece: Piece, spans: readonly KnownSpan[], messageLength: number): readonly KnownSpan[] =>
  spans
    .map((span) => ({ ...span, start: span.start + piece.start, end: span.end + piece.start }))
    .filter(({ start, end }) => end < piece.end || start < piece.ownEnd || piece.end === messageLength);

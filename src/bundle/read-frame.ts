/**
 * The texts of a framed bundle's items, cut out of its message by the sizes that the seal knows. For files that keep a
 * blanked document beside its answer; nothing is parsed from the text itself.
 */
import type { SealedBundle, SealedItem } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';

const LINE_FEED = 0x0a;
/** `coldseal-bundle/1`, the warning, and what is not shown. */
const LINES_BEFORE_ITEMS = 3;

export interface FramedText {
  readonly item: SealedItem;
  /** A view of the message; blanked. */
  readonly text: Uint8Array;
}

const endOfLine = (message: Uint8Array, from: number): number => {
  const end = message.indexOf(LINE_FEED, from);
  if (end < 0) throw new ColdsealError('INTERNAL', 'a sealed bundle ended before its last item');
  return end + 1;
};

export function* framedTexts({ message, items }: Pick<SealedBundle, 'message' | 'items'>): Generator<FramedText> {
  let at = 0;
  for (let line = 0; line < LINES_BEFORE_ITEMS; line += 1) at = endOfLine(message, at);
  for (const item of items) {
    const start = endOfLine(message, at);
    const text = message.subarray(start, start + item.bytes);
    yield { item, text };
    const endsLine = text.length > 0 && text[text.length - 1] === LINE_FEED;
    at = start + item.bytes + (endsLine ? 0 : 1);
  }
}

/** The blanked text of each item, read out of a sealed bundle: what a reader will be shown, byte for byte. */
import { framedTexts } from '../bundle/read-frame.js';
import type { SealedBundle } from '../contract/bundle.js';

/** By the item's id. Bytes outside UTF-8 cannot stand in a sealed bundle. */
export const itemTexts = (bundle: SealedBundle): ReadonlyMap<string, string> =>
  bundle.kind === 'reading' ? readingTexts(bundle) : framed(bundle);

const framed = (bundle: SealedBundle): ReadonlyMap<string, string> =>
  new Map([...framedTexts(bundle)].map(({ item, text }) => [item.id, Buffer.from(text).toString('utf8')]));

/** A reading travels as one JSON document behind an instruction and an empty line. */
const readingTexts = ({ message }: SealedBundle): ReadonlyMap<string, string> => {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('utf8');
  const document = JSON.parse(text.slice(text.indexOf('\n\n') + 2)) as {
    readonly bundle: { readonly items: readonly { readonly item_key: string; readonly text: string }[] };
  };
  return new Map(document.bundle.items.map(({ item_key: id, text: own }) => [id, own]));
};

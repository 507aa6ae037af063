/**
 * What may be said of a bundle: everything a record, a plan or a person sees, and none of its text. A bundle over the cap
 * can be described; it cannot be sealed.
 */
import type { BlankedSpan, SealedBundle, SealedItem } from '../contract/bundle.js';
import type { InputName, OmittedReason } from '../contract/item.js';
import type { PlacedText } from './blank.js';
import type { BundleText } from './bundle-text.js';

export type BundleDescription = Pick<
  SealedBundle,
  | 'kind'
  | 'listOrigin'
  | 'project'
  | 'range'
  | 'items'
  | 'deleted'
  | 'deletedBlanked'
  | 'bytes'
  | 'rawBytes'
  | 'cap'
  | 'digest'
  | 'blanked'
  | 'unscannedAtAssembly'
  | 'scannedNow'
>;

/** What is known of an item besides its texts. */
export interface ItemFacts {
  readonly id: string;
  readonly input: InputName;
  /** The name is a path of the repository, a label, or there is none. */
  readonly named: 'path' | 'label' | null;
  readonly objectId: string | null;
  readonly rawBytes: number;
  readonly omitted: OmittedReason | null;
  readonly lossy: number;
  readonly encoding: string | null;
}

export const describeItem = (facts: ItemFacts, name: PlacedText, text: PlacedText): SealedItem => {
  const shown = shownName(name);
  return {
    id: facts.id,
    input: facts.input,
    path: facts.named === 'path' ? shown : null,
    label: facts.named === 'label' ? shown : null,
    nameBlanked: name.spans.length > 0,
    objectId: facts.objectId,
    rawBytes: facts.rawBytes,
    bytes: text.length,
    omitted: facts.omitted,
    lossy: facts.lossy,
    encoding: facts.encoding,
  };
};

/** Parts without lines of their own. */
const NAMES: ReadonlySet<BundleText['part']> = new Set(['head', 'name', 'field']);

export const shownName = (name: PlacedText): string => Buffer.from(name.bytes).toString('utf8');

/** One row a span, in the order of the texts. */
export const describeSpans = (texts: readonly Pick<BundleText, 'item' | 'part' | 'spans'>[]): readonly BlankedSpan[] =>
  texts.flatMap((text) =>
    text.spans.map(({ line, kind, ruleId }) => ({
      item: text.item,
      line: NAMES.has(text.part) ? 0 : line,
      kind,
      rule: ruleId,
    })),
  );

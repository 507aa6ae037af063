/** Kinds, their closed inputs, and items on their way from a plan to the seal. */

import type { Span } from './finding.js';
import type { ReadingEnvelope } from './reading.js';
import type { TreeChange } from './repository.js';

export const KINDS = [
  'intent_audit',
  'intent_consistency',
  'release_changelog',
  'reading',
  'change_review',
  'source_question',
] as const;
export type KindName = (typeof KINDS)[number];

export const INPUTS = [
  'request',
  'intent',
  'specs',
  'diff',
  'changed_files',
  'corpus',
  'cut',
  'records',
  'items',
  'files',
  'path',
] as const;
export type InputName = (typeof INPUTS)[number];

/** The inputs of each kind, in the order they stand in its bundle. Compiled in, never read from a file (product.md section 5). */
export const KIND_INPUTS = {
  intent_audit: ['request', 'intent', 'specs', 'diff', 'changed_files'],
  intent_consistency: ['request', 'corpus'],
  release_changelog: ['cut', 'records'],
  reading: ['items'],
  change_review: ['diff', 'changed_files'],
  source_question: ['files'],
} as const satisfies Record<KindName, readonly InputName[]>;

/** One entry of a kind's list: an input's word, or the owner's `path:` glob. */
export type ListEntry =
  | { readonly kind: 'input'; readonly input: InputName }
  | { readonly kind: 'path'; readonly glob: string };

export type OmittedReason = 'binary' | 'withheld';

/** Where an item's bytes come from. */
export type ItemOrigin =
  /** A git object; its size is known before it is read. */
  | { readonly kind: 'blob'; readonly objectId: string; readonly mode: string }
  /** Text that this program composed, or a document already in memory. */
  | {
      readonly kind: 'text';
      readonly bytes: Uint8Array;
      /** Receipt and hash lines of ours, sorted: nothing in them is blanked. Byte ranges of `bytes`, only for composed text. */
      readonly exempt?: readonly Span[];
    }
  /** A text of a parked reading; the manifest beside it tells its size and hash. */
  | { readonly kind: 'parked' }
  /** The difference base..head, read as a stream. */
  | {
      readonly kind: 'diff';
      readonly base: string;
      readonly head: string;
      /** Every change of the range, in the order of the diff's sections. */
      readonly changes: readonly TreeChange[];
      /** Indices into `changes` whose sections are withheld. */
      readonly withheld: ReadonlySet<number>;
    };

/**
 * An item as planned: its place, name and size are settled, nothing of it was read.
 *
 * A `withheld` item keeps its place and is never read.
 */
export interface PlannedItem {
  /** `itm-0001` and on, in list order. */
  readonly id: string;
  readonly input: InputName;
  /** Bytes of the path inside the repository, for an item that is a file. */
  readonly path: Uint8Array | null;
  /** The name where there is no path: a range, a receipt, a tag. */
  readonly label: string | null;
  readonly origin: ItemOrigin;
  /** Bytes of the git object or composed text; `null` for a diff until it was read. */
  readonly rawBytes: number | null;
  readonly withheld: boolean;
  /** Further strings that travel beside the text, in order; only a reading's items have any. */
  readonly fields?: readonly ItemField[];
}

/** A member of a reading's item besides its kind, which is its label, and its text. */
export interface ItemField {
  readonly name: 'candidate' | 'field';
  readonly value: string;
}

/** What a kind prepared for one of its inputs: a planned item that has no place in the list yet. */
export type PreparedItem = Omit<PlannedItem, 'id' | 'input' | 'withheld' | 'fields'>;

/** The inputs that a kind composes or names itself (`request`, `intent`, `corpus`, ...), each in its own order. */
export type PreparedInputs = ReadonlyMap<InputName, readonly PreparedItem[]>;

/** An item that was read: text as it will be scanned, in memory that threads may share. */
export interface LoadedItem {
  readonly item: PlannedItem;
  /** Valid UTF-8. Over a SharedArrayBuffer, `offset` and length inside it. Owned by the pipeline until the seal. */
  readonly text: Uint8Array;
  readonly rawBytes: number;
  readonly omitted: OmittedReason | null;
  /** Number of U+FFFD that stand for invalid bytes; 0 when none. */
  readonly lossy: number;
  /** Named when the text was decoded from something other than UTF-8. */
  readonly encoding: 'utf-16le' | 'utf-16be' | 'latin1' | null;
}

export interface CommitRange {
  /** Full object name; the empty tree's where the range starts at a root. */
  readonly base: string;
  readonly head: string;
}

/** The plan's list for one run: every item in list order. */
export interface ItemPlan {
  readonly kind: KindName;
  readonly listOrigin: 'compiled' | 'owner';
  readonly range: CommitRange | null;
  readonly items: readonly PlannedItem[];
  /** Bytes of the paths that the range deletes; they have no item. */
  readonly deleted: readonly Uint8Array[];
  /** The document that a reading's items travel in, instead of a frame. */
  readonly reading?: ReadingEnvelope;
}

/**
 * A client's request as it is looked at: leaves are what can be blanked, surfaces are what is scanned. Every string of the
 * body is a leaf, keys of objects included, and stands on more than one surface: alone, in the JSON around it (a password
 * is told by the name before it) and beside the parts that it may have been split from.
 */
import type { Span } from '../contract/finding.js';
import type { TextMap } from './text-map.js';

/** One message, the system text, the tools, or everything else of the body. */
export interface GateItem {
  readonly input: 'message' | 'system' | 'tools' | 'members';
  /** Closed words and numbers, e.g. `messages[2] tool`. */
  readonly label: string;
  /** Bytes of its JSON in the body. */
  readonly bytes: number;
}

export interface GateLeaf {
  /** Index into the items. */
  readonly item: number;
  /** Decoded, UTF-8; of a number its digits, of a file its text. */
  readonly bytes: Uint8Array;
  readonly isName: boolean;
  /** Nothing in it is blanked: the model, which the owner's list judges, and admitted data that is no text. */
  readonly isExempt: boolean;
}

export interface LeafSpan extends Span {
  /** Index into the leaves. */
  readonly leaf: number;
}

export interface GateSurface {
  readonly form: 'json' | 'text' | 'joined';
  readonly item: number;
  readonly bytes: Uint8Array;
  /** The parts of leaves that a span of the surface covers; none for a span of punctuation alone. */
  place(span: Span): readonly LeafSpan[];
}

/** Something that cannot be scanned. */
export interface OpaquePart {
  readonly item: number;
  /** A closed word. */
  readonly what: 'image, audio or video' | 'reference to a file kept elsewhere' | 'file data that is no text';
}

export interface GateRequest {
  /** The body, as it was given. */
  readonly document: GateDocument;
  readonly model: string | null;
  readonly items: readonly GateItem[];
  readonly leaves: readonly GateLeaf[];
  readonly surfaces: readonly GateSurface[];
  readonly opaque: readonly OpaquePart[];
  /** A name stands twice in one object, or twice in the body itself but for letter case: the provider might read the value that was not judged. */
  readonly isAmbiguous: boolean;
}

/** JSON text with the places of its leaves: the body, or a string that holds JSON itself. */
export interface GateDocument {
  readonly bytes: Uint8Array;
  /** In the order of the bytes, not overlapping. */
  readonly tokens: readonly GateToken[];
}

export interface GateToken extends Span {
  readonly map: TextMap;
  readonly content:
    | { readonly kind: 'leaf'; readonly leaf: number; readonly form: 'string' | 'number' | 'file' }
    | { readonly kind: 'document'; readonly document: GateDocument };
}

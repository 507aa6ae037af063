/** What a scan reads, whatever it comes from: texts in shared memory, and what could not be read, each in its place. */
import type { Weighed } from '../../pipeline/run-window.js';

/** Why a file was not scanned. */
export type UnscannedReason =
  /** More than 1 % of it is no text. */
  | 'binary'
  /** A submodule or a nested repository: its own, not this one's. */
  | 'repository'
  /** A pipe, socket or device. */
  | 'special'
  | 'unreadable'
  | 'too-large'
  /** The scanner reached a bound. */
  | 'scan-failed';

/** Reasons that leave the answer open: the scan did not see what it was asked to see. */
export const INCOMPLETE_REASONS: ReadonlySet<UnscannedReason> = new Set(['unreadable', 'too-large', 'scan-failed']);

/** Where a text of git's comes from. */
export interface Brought {
  /** `null` for the index. */
  readonly commit: string | null;
  /** Objects at the same path in the commit's parents: lines that stand there are not new. */
  readonly before: readonly string[];
}

export type SourceEntry =
  | {
      readonly kind: 'text';
      /** As it is shown: from the root of the work tree, or from the folder of the run. */
      readonly path: Uint8Array;
      /** Over shared memory. */
      readonly bytes: Uint8Array;
      readonly brought: Brought | null;
    }
  | {
      readonly kind: 'unscanned';
      readonly path: Uint8Array;
      readonly reason: UnscannedReason;
      readonly detail: string;
    };

/** Small texts together, a large one alone; their sizes are known before anything is read. */
export interface SourceBatch extends Weighed {
  /** Reads them into memory that `take` gives. */
  load(take: TakeShared): Promise<readonly SourceEntry[]>;
}

/** Shared memory of so many bytes. */
export type TakeShared = (bytes: number) => Uint8Array;

export const BATCH_BYTES = 256 * 1024;
/** Texts of one batch, however small. */
const MOST_TOGETHER = 1024;
/** A text is scanned whole, so it is held whole; more than this is not read. */
export const LARGEST_TEXT_BYTES = 256 * 1024 * 1024;

/** What is read together, in order, each time with its bytes; what is larger than a batch is read alone. */
export function* readTogether<T>(
  found: Iterable<T>,
  bytesOf: (one: T) => number,
): Generator<{ readonly group: readonly T[]; readonly bytes: number }> {
  let group: T[] = [];
  let bytes = 0;
  for (const one of found) {
    const more = bytesOf(one);
    if (group.length > 0 && (bytes + more > BATCH_BYTES || group.length >= MOST_TOGETHER)) {
      yield { group, bytes };
      group = [];
      bytes = 0;
    }
    group.push(one);
    bytes += more;
  }
  if (group.length > 0) yield { group, bytes };
}

/** What is said of a file that is no text. */
export const binaryDetail = (bytes: number): string => `${bytes} bytes, more than 1 % of them no text`;

export const tooLarge = (bytes: number): string =>
  `${bytes} bytes; at most ${LARGEST_TEXT_BYTES} (256 MiB) are scanned as one text`;

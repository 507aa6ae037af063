/**
 * Readings: positions, the two parked documents' names, and what stands around the items of one that is dispatched.
 *
 * The regime is the licence a position reads under. It belongs to the position and to nothing that is typed or parked, so
 * it is a table here and no member of any file decides it.
 */

/** Positions with the regime each of them reads under. */
export const REGIMES = {
  widening: 'generative',
  entailment: 'explicative',
  comparative: 'evaluative',
  detection: 'registrative',
} as const;

export type Position = keyof typeof REGIMES;

export const POSITIONS = Object.keys(REGIMES) as readonly Position[];

export const isPosition = (text: string): text is Position => Object.hasOwn(REGIMES, text);

export const READING_BUNDLE_TYPE = 'abcd.reading.bundle';
export const READING_MANIFEST_TYPE = 'abcd.reading.manifest';
export const READING_DISPATCH_TYPE = 'abcd.reading.dispatch/1';
export const READING_SCHEMA_VERSION = 10;

/** The most bytes of a parked file: 256 MiB. */
export const LARGEST_READING_FILE_BYTES = 256 * 1024 * 1024;

/** What a reading was narrowed to, without a path. A member that a file leaves out is left out again. */
export interface ReadingPreset {
  readonly kinds?: readonly string[];
  readonly records?: readonly string[];
  /** Number of globs that narrow by place. */
  readonly location_narrowings?: number;
}

/** `parsed`: a document that was read as one; `unscanned`: source and configuration, which travel whole. */
export const SCAN_MARKS = ['parsed', 'unscanned'] as const;
export type ScanMark = (typeof SCAN_MARKS)[number];

/** Everything of a dispatched reading but its items. Strings are as parked; those that are scanned are named by framing. */
export interface ReadingEnvelope {
  /** `rdg-` and digits. */
  readonly runId: string;
  readonly position: Position;
  /** 64 hex digits over the parked manifest's bytes as they are. */
  readonly manifestSha256: string;
  /** 64 hex digits over the agent's definition. */
  readonly definitionSha256: string;
  readonly assemblerVersion: string;
  /** As asked for. */
  readonly model: string;
  readonly contextStamp: string;
  readonly preset: ReadingPreset;
  /** Items that the manifest marks `unscanned`. */
  readonly unscanned: number;
  /** Files that the assembly left out as withheld and as binary. */
  readonly withheld: number;
  readonly binary: number;
}

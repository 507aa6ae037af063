/** The messages between the main thread and a scan thread, and the port the pipeline sees. */
import type { Finding, Span } from './finding.js';
import type { ScanProfile } from './rule.js';

/** A range of the batch's buffer that is scanned on its own; `ref` is the caller's, returned as it came. */
export interface ScanInput {
  readonly ref: number;
  readonly offset: number;
  readonly length: number;
}

/** The value behind a finding, held only while a bundle is blanked, never written anywhere. */
export interface SecretValue {
  /** The decoded value. Owned by whoever holds the reply. */
  readonly bytes: Uint8Array;
  /** May be looked for elsewhere: severity `block`, 12 bytes or more, rare, no code identifier outside quotes. */
  readonly echo: boolean;
}

/** One message to a thread: small inputs together, a large one alone. The memory is shared, never copied. */
export interface ScanBatch {
  readonly task: 'scan';
  readonly buffer: SharedArrayBuffer;
  readonly inputs: readonly ScanInput[];
  readonly profile: ScanProfile;
}

/** A bound that ends an input's scan. Never a skip: the run is refused. */
export type ScanBound = 'decoded-bytes' | 'view-time' | 'pem-lines' | 'findings' | 'thread-died' | 'engine-fault';

export interface ScannedInput {
  readonly ref: number;
  readonly ok: true;
  /** Sorted by start, then end, then rule id. May overlap. */
  readonly findings: readonly Finding[];
  readonly values: readonly SecretValue[];
  /** Bytes looked at, decoded views included; never less than the input's length. */
  readonly scannedBytes: number;
}

export interface UnscannedInput {
  readonly ref: number;
  readonly ok: false;
  readonly bound: ScanBound;
  /** Which rule or view, and the limit with its unit. */
  readonly detail: string;
}

export type ScanOutcome = ScannedInput | UnscannedInput;

/** A thread answers with data, not with exceptions: piscina delivers an error subclass as a plain `Error`. */
export interface ScanReply {
  readonly outcomes: readonly ScanOutcome[];
  /** Time spent in the engine, in milliseconds. */
  readonly busyMs: number;
}

/** A scanned input on the wire: how many of the reply's findings and values are its own. */
export interface PackedInput {
  readonly ref: number;
  readonly ok: true;
  readonly findings: number;
  readonly values: number;
  readonly scannedBytes: number;
}

/** What many findings have in common. */
export type FindingVoice = Pick<Finding, 'ruleId' | 'kind' | 'family' | 'severity' | 'views'>;

/**
 * A reply as it travels between threads: numbers in columns and each text of a rule once, because a message of objects
 * costs some hundred bytes a finding on either side.
 */
export interface PackedScanReply {
  readonly outcomes: readonly (PackedInput | UnscannedInput)[];
  readonly voices: readonly FindingVoice[];
  /** Five numbers a finding, in the order of the outcomes: start, end, line, value, voice. */
  readonly findings: Int32Array;
  /** Two times a value's length, and one more where it echoes. */
  readonly values: Int32Array;
  /** The bytes of all values, one after the other. */
  readonly valueBytes: Uint8Array;
  readonly busyMs: number;
}

/** A value to look for in all its encodings, with the kind and number it was told under. */
export interface EchoNeedle {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The second pass: every other place a known value stands. */
export interface EchoBatch {
  readonly task: 'echo';
  readonly buffer: SharedArrayBuffer;
  readonly inputs: readonly ScanInput[];
  readonly needles: readonly EchoNeedle[];
}

export interface EchoHit extends Span {
  readonly needleId: number;
  readonly line: number;
}

export interface EchoReply {
  /** `null` where there are more than one text may have (`MOST_FINDINGS_IN_TEXT`): that refuses it. */
  readonly outcomes: readonly { readonly ref: number; readonly hits: readonly EchoHit[] | null }[];
  readonly busyMs: number;
}

/** What a thread is started with. */
export interface ScanThreadSettings {
  /** Absolute path of the compiled rule tables. */
  readonly tablesPath: string;
  /** Absolute path of the prefilter's WebAssembly. */
  readonly prefilterPath: string;
}

/** Four bytes that threads share: once they are not zero, nobody waits for the answer any more. */
export type StopWord = SharedArrayBuffer;

/** What a thread is started with by the pool; its word stops whatever its threads do. */
export interface ScanThreadStart extends ScanThreadSettings {
  readonly stop: StopWord;
}

/** A batch on its way to a thread, with the word of whoever waits for it. */
export type StoppableBatch = (ScanBatch | EchoBatch) & { readonly stop: StopWord | null };

/** Asks a thread whether it is whole; the pool sends it before anything else. */
export interface ReadyTask {
  readonly task: 'ready';
}

export type ReadyReply =
  | { readonly ok: true; readonly rulesDigest: string }
  /** `fault` names the file, the rule or the test. */
  | { readonly ok: false; readonly fault: string };

/** The port: a pool of threads, or in a test the engine in this one. */
export interface Scanner {
  /**
   * Resolves when the batch was scanned; a dead thread is answered as `thread-died`, never as a rejection. A batch that
   * still waits for a thread when `signal` aborts never starts and rejects with its reason; one that runs is told to
   * end and answers whatever it has come to, never that a text was scanned which was not.
   */
  scan(batch: ScanBatch, signal?: AbortSignal): Promise<ScanReply>;
  echo(batch: EchoBatch, signal?: AbortSignal): Promise<EchoReply>;
  /** `sha256:` digest of the compiled-in rules. */
  readonly rulesDigest: string;
  readonly threads: number;
  /** Batches that wait are dropped; those that run are told to end, and answer whatever they have come to. */
  close(): Promise<void>;
}

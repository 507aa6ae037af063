/** What a scan says, file by file. No member can hold a value. */
import type { Severity } from '../../contract/finding.js';
import type { CommitFacts } from '../../contract/repository.js';
import type { Location } from './locate-spans.js';
import type { UnscannedReason } from './scan-source.js';

export interface CommitNote extends CommitFacts {
  readonly id: string;
}

export interface ReportFinding extends Location {
  /** Printable; a name with a finding is blanked. */
  readonly file: string;
  /** `null` where no commit brings it: the work tree, the index, standard input. */
  readonly commit: CommitNote | null;
  readonly rule: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly description: string;
  /** In the text's bytes; a finding in a file's name has none. */
  readonly place: { readonly start: number; readonly end: number } | null;
  /** Keyed over rule and value; `null` where this machine has no key and none can be made. */
  readonly fingerprint: string | null;
  /** Of other rules that found the same or overlapping bytes; allowing a value means allowing all of them. */
  readonly otherFingerprints: readonly string[];
  /** Shannon entropy of the value in bits a byte; only for values that cannot be guessed. */
  readonly entropy: number | null;
}

export interface FileReport {
  readonly file: string;
  readonly bytes: number;
  /** By their place; a finding in the name first. */
  readonly findings: readonly ReportFinding[];
  readonly unscanned: { readonly reason: UnscannedReason; readonly detail: string } | null;
}

/** Rules as they stand in `config/rules/*.json` once validated, and the set of them that one scan runs. */
import type { Family, Severity } from './finding.js';

/**
 * What a match must also pass. Filters judge the whole value, never a substring of it: a random password that contains
 * the word `hook` is still a password.
 */
export type Filter =
  /** Not a name, a template, a placeholder, a type or a number: `engine.md` section 1.7. */
  | { readonly kind: 'not-reference' }
  /** Rare enough to be made by a machine or a careful person; `least` is in bits per value. */
  | { readonly kind: 'rarity'; readonly least: number }
  /** At least this much Shannon entropy, in bits per byte. */
  | { readonly kind: 'entropy'; readonly least: number }
  /** None of these words, compared with the whole value in lower case. */
  | { readonly kind: 'not-word'; readonly words: readonly string[] }
  /** The whole value must not match this RE2 pattern. */
  | { readonly kind: 'not-match'; readonly pattern: string }
  /** The bytes before the value, `BEHIND_BYTES` of them at most, must not end in what this RE2 pattern matches. */
  | { readonly kind: 'not-behind'; readonly pattern: string }
  /** Holds characters of at least this many of: lower, upper, digit, other. */
  | { readonly kind: 'classes'; readonly least: number }
  /** A named offline checksum. It raises confidence; a wrong one never drops the finding. */
  | { readonly kind: 'checksum'; readonly algorithm: string }
  /** A named judgement of an address or name, e.g. `public-ipv4`, `not-documentation-range`. */
  | { readonly kind: 'judge'; readonly name: string };

export interface Rule {
  readonly id: string;
  /** What stands in the placeholder: `token:*` or `pem:*` in family `secret`, `identity:*`, `net:*`, ... elsewhere. */
  readonly kind: string;
  readonly family: Family;
  readonly severity: Severity;
  readonly description: string;
  /** RE2 syntax; flags stand inside as `(?i)`, `(?s)`, `(?m)`. */
  readonly pattern: string;
  /** The group that is the secret; 0 is the whole match. */
  readonly group: number;
  readonly filters: readonly Filter[];
  /** Where the format's facts come from. */
  readonly source: string;
}

/** Rules in a fixed order (bytewise by id) with the digest of everything that decides a finding. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /** `sha256:` + hex over the canonical JSON of the rules. */
  readonly digest: string;
}

/** What `identity` looks for; only values of 3 or more characters and no generic account name. */
export interface IdentityInputs {
  readonly homePaths: readonly string[];
  readonly userNames: readonly string[];
  readonly personNames: readonly string[];
  readonly emails: readonly string[];
}

/**
 * Everything besides the bytes that decides a scan's findings. Plain data: it is sent to threads with every batch, and a
 * thread keeps what it compiled for the last digests it saw.
 */
export interface ScanProfile {
  /** Digest over rule set, families, identity inputs and the owner's rules; `sha256:` + hex. */
  readonly digest: string;
  readonly families: readonly Family[];
  readonly identity: IdentityInputs;
  /** The owner's rules: `rules_dir`, `private` patterns, imported TOML. */
  readonly ownerRules: readonly Rule[];
}

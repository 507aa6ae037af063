/** Spans and findings: where something stands, never what it says. */

/** A half-open byte range `[start, end)` of an item. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const FAMILIES = ['secret', 'identity', 'network', 'harness', 'private'] as const;
export type Family = (typeof FAMILIES)[number];

export type Severity = 'block' | 'warn';

/**
 * A rule's hit mapped to the item's own bytes. No member can hold text: the value's bytes travel beside the findings
 * (`ScannedInput.values`) only as long as the bundle is being blanked.
 */
export interface Finding extends Span {
  readonly ruleId: string;
  /** What stands in the placeholder, e.g. `token:github_pat`. */
  readonly kind: string;
  readonly family: Family;
  readonly severity: Severity;
  /** 1-based line of `start`. */
  readonly line: number;
  /** Index into the values of the same scanned input. */
  readonly valueIndex: number;
  /** The forms the bytes were decoded through, outermost first; empty when found as they stand. */
  readonly views: readonly string[];
}

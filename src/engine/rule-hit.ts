/** What a rule found in one text, before it is mapped to the item: positions only. */

export interface RuleHit {
  /** Index into the rules that the scanner was made of. */
  readonly rule: number;
  /** The value: the rule's group, a half-open byte range of the text. */
  readonly start: number;
  readonly end: number;
  /** The whole match. */
  readonly from: number;
  readonly to: number;
}

/**
 * Scans texts, each on its own. Pure: the same bytes give the same hits whatever stands beside them; the hits of one rule
 * are in rising order.
 */
export interface TextScanner {
  /** One list a text, in their order. */
  findHits(texts: readonly Uint8Array[]): RuleHit[][];
}

/**
 * Whether a provider is still what the owner consented to: its block as it stands now against the one that was pinned.
 * Equal is equal in every member; there is no such thing as a change that is small enough.
 */
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import type { ConsentBlock } from './consent-block.js';
import type { ReadPin } from './consent-pins.js';

export interface ConsentChange {
  /** Member of the block, e.g. `base_url`. */
  readonly member: string;
  /** Canonical JSON; `null` where the block had no such member. */
  readonly before: string | null;
  readonly after: string | null;
}

export type Consent =
  /** Nothing was sent to it yet; the first send pins it. */
  | { readonly kind: 'first' }
  | { readonly kind: 'pinned'; readonly pinnedAt: string }
  | { readonly kind: 'changed'; readonly pinnedAt: string; readonly changes: readonly ConsentChange[] }
  /** There is a pin that cannot be trusted. */
  | { readonly kind: 'unknown'; readonly why: string };

export function judgeConsent(pin: ReadPin, block: ConsentBlock): Consent {
  if (pin.kind === 'none') return { kind: 'first' };
  if (pin.kind === 'unknown') return pin;
  const changes = changesBetween(pin.block, block);
  return changes.length === 0
    ? { kind: 'pinned', pinnedAt: pin.pinnedAt }
    : { kind: 'changed', pinnedAt: pin.pinnedAt, changes };
}

/** Every member that is not the same on both sides; with an empty `before`, every member. */
export function changesBetween(before: ConsentBlock, after: ConsentBlock): readonly ConsentChange[] {
  const members = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return members
    .map((member) => ({ member, before: textOf(before, member), after: textOf(after, member) }))
    .filter((change) => change.before !== change.after);
}

/** The refusal that a consent makes of a send, or `null`. */
export function consentRefusal(consent: Consent, provider: string): ColdsealError | null {
  if (consent.kind === 'first' || consent.kind === 'pinned') return null;
  const way = `Nothing was sent. Look at it and accept it with \`coldseal providers approve ${provider}\`.`;
  if (consent.kind === 'unknown') {
    return new ColdsealError(
      'CONSENT_CHANGED',
      `What was consented to for the provider ${provider} is not known any more: its pin ${consent.why}. ${way}`,
      { facts: { provider, changed: 'pin' } },
    );
  }
  const changed = consent.changes.map(({ member }) => member).join(', ');
  return new ColdsealError(
    'CONSENT_CHANGED',
    `The provider ${provider} is not what it was when it was consented to (${consent.pinnedAt}): ${changed} changed. ${way}`,
    { facts: { provider, changed } },
  );
}

function textOf(block: ConsentBlock, member: string): string | null {
  return Object.hasOwn(block, member) ? canonicalJson(block[member] ?? null) : null;
}

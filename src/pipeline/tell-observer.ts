/** What an assembly tells whoever watches it. Closed words and numbers only. */
import type { SealedBundle } from '../contract/bundle.js';
import type { Family } from '../contract/finding.js';
import type { OmittedReason } from '../contract/item.js';
import type { AssemblyRequest } from './assembly-request.js';
import { framedTexts, type Settled } from './settle-bundle.js';

export const tellPlanned = ({ plan, cap, observe }: AssemblyRequest): void => {
  const rawBytes = plan.items.reduce((sum, item) => sum + (item.rawBytes ?? 0), 0);
  observe({ kind: 'planned', items: plan.items.length, rawBytes, capBytes: cap.bytes });
  observe({ kind: 'stage', stage: 'scan' });
};

export const tellSealed = (
  { observe }: AssemblyRequest,
  { framed, system }: Settled,
  bundle: SealedBundle,
  scanMs: number,
): void => {
  const omitted = new Map<OmittedReason, number>();
  for (const item of bundle.items) {
    if (item.omitted !== null) omitted.set(item.omitted, (omitted.get(item.omitted) ?? 0) + 1);
  }
  for (const [reason, count] of omitted) observe({ kind: 'omitted', reason, count });

  const blanked = new Map<Family, number>();
  for (const text of [...framedTexts(framed), system]) {
    for (const { family } of text.spans) blanked.set(family, (blanked.get(family) ?? 0) + 1);
  }
  for (const [family, count] of blanked) observe({ kind: 'blanked', family, count });
  observe({ kind: 'sealed', bundleKind: bundle.kind, items: bundle.items.length, bytes: bundle.bytes, scanMs });
};

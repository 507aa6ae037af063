/** What a run tells whoever watches it: progress, metrics, live pages. Closed words and numbers only. */

import type { Code } from './codes.js';
import type { KindName, OmittedReason } from './item.js';

export type Stage = 'plan' | 'scan' | 'seal' | 'send' | 'answer';

export type RunEvent =
  | { readonly kind: 'stage'; readonly stage: Stage }
  | { readonly kind: 'planned'; readonly items: number; readonly rawBytes: number; readonly capBytes: number }
  /** What one batch added; whoever wants totals sums them up. */
  | {
      readonly kind: 'scanned';
      readonly items: number;
      readonly bytes: number;
      readonly blankedBytes: number;
      readonly findings: number;
    }
  | { readonly kind: 'omitted'; readonly reason: OmittedReason; readonly count: number }
  | { readonly kind: 'blanked'; readonly family: string; readonly count: number }
  | {
      readonly kind: 'sealed';
      readonly bundleKind: KindName;
      readonly items: number;
      readonly bytes: number;
      readonly scanMs: number;
    }
  | {
      readonly kind: 'answered';
      readonly durationMs: number;
      readonly firstTokenMs: number | null;
      readonly promptTokens: number | null;
      readonly completionTokens: number | null;
    }
  | { readonly kind: 'ended'; readonly bundleKind: KindName; readonly outcome: string; readonly code: Code | null };

export type Observe = (event: RunEvent) => void;

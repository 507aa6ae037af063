/** How a run over a bundle can end. Data for whoever prints, serves or queues it. */
import type { SealedBundle } from '../contract/bundle.js';
import type { Code, ProviderFailureCode } from '../contract/codes.js';
import type { ColdsealError, ErrorFacts } from '../contract/error.js';
import type { Answer } from '../contract/transport.js';
import type { DescribedBundle, ProviderRoute } from './prepare-send.js';

export type WholeAnswer = Extract<Answer, { readonly ok: true }>;

/** Where an answer was put; `null` for text that goes to the person alone. */
export interface KeptAnswer {
  readonly path: string | null;
  /** UTF-8 bytes of the answer's text. */
  readonly bytes: number;
}

interface Ended {
  readonly id: string;
  readonly route: ProviderRoute;
}

export type RunResult =
  | (Ended & { readonly outcome: 'planned'; readonly bundle: DescribedBundle; readonly sealed: SealedBundle })
  | (Ended & {
      readonly outcome: 'sent';
      readonly bundle: DescribedBundle;
      readonly answer: WholeAnswer;
      readonly kept: KeptAnswer;
    })
  | (Ended & {
      readonly outcome: 'refused';
      readonly code: Code;
      readonly error: ColdsealError;
      /** There when the refusal came after the bundle was known. */
      readonly bundle: DescribedBundle | null;
      /** False when nothing was written: a plan, or a record that cannot be written. */
      readonly isRecorded: boolean;
    })
  | (Ended & {
      /** The call was made and there is no answer to use, whoever's fault it was: the code says. */
      readonly outcome: 'provider_failed';
      readonly code: Code;
      readonly message: string;
      readonly facts: ErrorFacts;
      readonly bundle: DescribedBundle;
      /** `null` when the run was stopped before one came. */
      readonly answer: Answer | null;
    })
  /** Never connected, on a route nobody typed: the caller hands the work to the host. */
  | (Ended & {
      readonly outcome: 'host';
      readonly bundle: DescribedBundle;
      readonly code: ProviderFailureCode;
      readonly message: string;
    });

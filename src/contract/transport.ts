/** The port to a provider. */
import type { SealedBundle } from './bundle.js';
import type { ProviderFailureCode } from './codes.js';
import type { ProviderSettings } from './route.js';

/** Settings that may travel in a request; any other is refused before the call (provider.md, "Request"). */
export const MODEL_SETTINGS = [
  'frequency_penalty',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'seed',
  'stop',
  'temperature',
  'top_p',
  'reasoning_effort',
  'response_format',
  'provider',
] as const;

/** A credential's value with its name. Lives in memory only. */
export interface Credential {
  readonly name: string;
  readonly value: string;
}

/** What leaves: to a remote provider a sealed bundle, to one on this machine the request as it is. */
export type Brief =
  | { readonly kind: 'sealed'; readonly bundle: SealedBundle }
  | { readonly kind: 'local'; readonly system: Uint8Array; readonly message: Uint8Array };

export interface SendRequest {
  readonly provider: ProviderSettings;
  readonly model: string;
  readonly brief: Brief;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credential: Credential | null;
  readonly denylist: readonly string[];
  /** Called before every connection; throws to stop it (the second reading of the machine file, the start row). */
  readonly beforeConnect: (attempt: number) => Promise<void>;
  /** Called once connected, right before the first byte of the body; throws to stop it. A queue's last word on a job. */
  readonly beforeBody?: () => Promise<void>;
  /** Told before the first byte of a body may leave, and again when the last one was taken. */
  readonly onSent?: (sent: RequestSent) => void;
  readonly signal: AbortSignal;
}

/** How much of a request's body may have left: what was handed to the socket counts, whether or not it arrived. */
export type RequestSent = 'part' | 'whole';

export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export type Answer =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finishReason: string | null;
      readonly modelReported: string | null;
      readonly usage: Usage | null;
      readonly notes: readonly string[];
      readonly generationId: string | null;
      readonly proxy: string | null;
      readonly attempts: number;
      readonly firstTokenMs: number | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly code: ProviderFailureCode;
      /** Scrubbed and safe to print. */
      readonly message: string;
      readonly facts: Readonly<Record<string, string | number | boolean | null>>;
      /** No connection was ever made: the run may fall back to the host. */
      readonly neverConnected: boolean;
      readonly modelReported: string | null;
      readonly usage: Usage | null;
      readonly generationId: string | null;
      readonly proxy: string | null;
      readonly attempts: number;
      readonly durationMs: number;
    };

export interface Transport {
  send(request: SendRequest): Promise<Answer>;
}

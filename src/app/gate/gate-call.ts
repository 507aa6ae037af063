/** One call of a client through the gate, and what it is answered with. */
import type { ClientHeaders, GateFormat } from './gate-format.js';

export interface GateCall {
  /** As it stands in the path. */
  readonly provider: string;
  readonly format: GateFormat;
  /** Below the provider's base URL. */
  readonly path: GatePath;
  /** Lower-case names. */
  readonly headers: ClientHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Every path that a body may leave to; a query travels only where it is named here. */
export const GATE_PATHS = {
  openai: ['chat/completions'],
  anthropic: ['messages', 'messages?beta=true', 'messages/count_tokens', 'messages/count_tokens?beta=true'],
} as const satisfies Record<GateFormat, readonly string[]>;

export type GatePath = (typeof GATE_PATHS)[GateFormat][number];

export interface GateReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or as it comes; it ends with an error where the provider's answer was cut off. */
  readonly body: Uint8Array | AsyncGenerator<Uint8Array, void>;
}

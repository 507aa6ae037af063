/** The parts of a chat request that decide how the sandbox answers it. */
import { z } from 'zod';

const request = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly usageChunk: boolean;
  /** The answer has to be one JSON document. */
  readonly json: boolean;
}

/** Bodies up to this size are parsed; a larger one is only looked at where this program puts what matters. */
export const PARSED_BYTES = 8 * 1024 * 1024;

/** `null` when the body is no chat request. */
export const readChatRequest = (body: Uint8Array): ChatRequest | null => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
  const read = request.safeParse(value);
  if (!read.success) {
    return null;
  }
  const { model, stream, stream_options: options, messages, response_format: format } = read.data;
  const system = messages.find((message) => message.role === 'system' || message.role === 'developer')?.content;
  return {
    model,
    stream: stream === true,
    usageChunk: options?.include_usage === true,
    json: (format != null && format.type !== 'text') || (typeof system === 'string' && /\bone JSON\b/i.test(system)),
  };
};

/** The same from the two ends of a body too large to parse. */
export const guessChatRequest = (head: string, tail: string): ChatRequest => ({
  model: /"model":"([^"]+)"/.exec(head)?.[1] ?? 'unknown',
  stream: /"stream":true/.test(tail),
  usageChunk: /"include_usage":true/.test(tail),
  json: /"response_format":\{"type":"json/.test(tail) || /\bone JSON\b/i.test(head),
});

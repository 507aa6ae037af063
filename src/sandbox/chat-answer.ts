/** The sandbox's own answer, in the two forms a chat completion has. */
import type { ChatRequest } from './chat-request.js';
import type { RequestSummary } from './request-summary.js';
import type { ScriptEvent } from './script.js';

/** Bytes per token that the reported usage assumes. */
const BYTES_PER_TOKEN = 3.85;

const summaryText = (summary: RequestSummary, json: boolean): string => {
  const { items, bodyBytes, blankedMarks } = summary;
  if (json) {
    return JSON.stringify({ sandbox: true, items, body_bytes: bodyBytes, blanked_marks: blankedMarks });
  }
  const what = items === null ? 'a message that is no bundle' : `a bundle of ${items} items`;
  return `The sandbox received ${what}: ${bodyBytes} bytes of request with ${blankedMarks} blanked marks in it. Nothing was reviewed; this answer shows what would have left.`;
};

const usageOf = (summary: RequestSummary, text: string) => {
  const prompt = Math.ceil(summary.bodyBytes / BYTES_PER_TOKEN);
  const completion = Math.ceil(text.length / BYTES_PER_TOKEN);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
};

/** The answer as a list of stream events. */
export const answerEvents = (request: ChatRequest, summary: RequestSummary): readonly ScriptEvent[] => {
  const text = summaryText(summary, request.json);
  const half = Math.ceil(text.length / 2);
  return [
    { text: text.slice(0, half) },
    { text: text.slice(half) },
    { finish: 'stop' },
    ...(request.usageChunk ? [{ usage: usageOf(summary, text), choices: 'empty' as const }] : []),
    { done: true },
  ];
};

/** The answer as one JSON object. */
export const answerObject = (request: ChatRequest, summary: RequestSummary, id: string): unknown => {
  const text = summaryText(summary, request.json);
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: usageOf(summary, text),
  };
};

/** Script events as the bytes of a stream. */
import type { ScriptEvent, SimpleEvent } from './script.js';

interface EventFrame {
  readonly id: string;
  readonly model: string;
  readonly lineEnd: string;
}

export type StreamPart = { readonly bytes: Uint8Array } | { readonly waitMs: number };

/** Bytes and pauses in order; repeated events are made one after another, never all at once. */
export function* streamParts(events: readonly ScriptEvent[], frame: EventFrame): Generator<StreamPart, void> {
  for (const event of events) {
    if ('times' in event) {
      const part = streamPart(event.event, frame);
      for (let time = 0; time < event.times; time += 1) {
        yield part;
      }
    } else {
      yield streamPart(event, frame);
    }
  }
}

const streamPart = (event: SimpleEvent, frame: EventFrame): StreamPart => {
  if ('waitMs' in event) {
    return { waitMs: event.waitMs };
  }
  if ('rawBase64' in event) {
    return { bytes: Buffer.from(event.rawBase64, 'base64') };
  }
  return { bytes: Buffer.from(eventText(event, frame)) };
};

const eventText = (
  event: Exclude<SimpleEvent, { waitMs: number } | { rawBase64: string }>,
  frame: EventFrame,
): string => {
  const end = frame.lineEnd;
  if ('raw' in event) {
    return event.raw;
  }
  if ('comment' in event) {
    return `: ${event.comment}${end}${end}`;
  }
  return `${eventData(event, frame)
    .split('\n')
    .map((line) => `data: ${line}${end}`)
    .join('')}${end}`;
};

const eventData = (
  event: Exclude<SimpleEvent, { waitMs: number } | { rawBase64: string } | { raw: string } | { comment: string }>,
  frame: EventFrame,
): string => {
  if ('data' in event) {
    return typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
  }
  if ('done' in event) {
    return '[DONE]';
  }
  const shared = { id: frame.id, object: 'chat.completion.chunk', created: 0, model: frame.model };
  if ('usage' in event) {
    const choices = { empty: { choices: [] }, null: { choices: null }, none: {} }[event.choices];
    return JSON.stringify({ ...shared, ...choices, usage: event.usage });
  }
  const model = event.model ?? frame.model;
  // The role in every text chunk, as some servers have it: clients take it from the first and ignore the rest.
  const choice =
    'text' in event
      ? { index: 0, delta: { role: 'assistant', content: event.text }, finish_reason: null }
      : { index: 0, delta: {}, finish_reason: event.finish };
  return JSON.stringify({ ...shared, model, choices: [choice] });
};

/** Follows an event stream of the service until it ends or the signal says so. */
import { call } from './client.js';
import { createEventReader } from './event-text.js';

/** `heard` is given the event's name and its parsed JSON. Rejects like `call`. */
export const followEvents = async (
  path: string,
  heard: (event: string, body: unknown) => void,
  signal: AbortSignal,
): Promise<void> => {
  const response = await call(path, { accept: 'text/event-stream', signal });
  if (response.body === null) return;
  const read = createEventReader();
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return;
      for (const { event, data } of read(value)) heard(event, JSON.parse(data));
    }
  } finally {
    await pieces.cancel().catch(() => {});
  }
};

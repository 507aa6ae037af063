/**
 * Server-sent events out of bytes, as the WHATWG text says, but that a last event without its empty line still counts:
 * servers close right after `data: [DONE]`.
 *
 * One decoder for the whole stream, so a character cut in two by a read stays whole. Lines end in LF, CRLF or CR. Only
 * `data` matters here; a comment means the server is alive, not that it gets on.
 */
import { callFailure } from './call-failure.js';

export interface StreamBounds {
  readonly eventBytes: number;
  readonly streamBytes: number;
}

const MIB = 1024 * 1024;
/** Bounds of provider.md, "Stream". */
export const STREAM_BOUNDS: StreamBounds = { eventBytes: 4 * MIB, streamBytes: 64 * MIB };

interface EventReader {
  /** The events that this read completes, each as its joined `data` lines. Over a bound: `PROVIDER_TOO_LARGE`. */
  take(bytes: Uint8Array): readonly string[];
  /** At the end of the stream: what the last event said, if it has any data. */
  end(): string | null;
}

export const startEventReader = (bounds: StreamBounds = STREAM_BOUNDS): EventReader => {
  const decoder = new TextDecoder('utf-8');
  let streamBytes = 0;
  /** The unfinished line. */
  let line = '';
  /** The last character was a carriage return: a line feed right after it ends no second line. */
  let afterReturn = false;
  let data: string[] = [];
  let eventBytes = 0;

  const tooLarge = (what: string, mostBytes: number): Error =>
    callFailure('PROVIDER_TOO_LARGE', `${what} is over ${mostBytes} bytes.`, { most_bytes: mostBytes });

  const grow = (bytes: number): void => {
    eventBytes += bytes;
    if (eventBytes > bounds.eventBytes) {
      throw tooLarge('One event of the answer', bounds.eventBytes);
    }
  };

  /** Takes a whole line; returns an event when the line is the empty one that ends it. */
  const endLine = (whole: string): string | null => {
    if (whole === '') {
      const event = data.length === 0 ? null : data.join('\n');
      data = [];
      eventBytes = 0;
      return event;
    }
    if (whole === 'data' || whole.startsWith('data:')) {
      const value = whole.slice(5);
      data.push(value.startsWith(' ') ? value.slice(1) : value);
      grow(Buffer.byteLength(whole));
    }
    return null;
  };

  const takeText = (text: string): readonly string[] => {
    const events: string[] = [];
    let from = afterReturn && text.startsWith('\n') ? 1 : 0;
    if (text !== '') {
      afterReturn = text.endsWith('\r');
    }
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const event = endLine(line + text.slice(from, end.index));
      line = '';
      from = ends.lastIndex;
      if (event !== null) {
        events.push(event);
      }
    }
    line += text.slice(from);
    if (line.length > bounds.eventBytes) {
      throw tooLarge('One line of the answer', bounds.eventBytes);
    }
    return events;
  };

  return {
    take: (bytes) => {
      streamBytes += bytes.length;
      if (streamBytes > bounds.streamBytes) {
        throw tooLarge('The stream of the answer', bounds.streamBytes);
      }
      return takeText(decoder.decode(bytes, { stream: true }));
    },
    end: () => {
      takeText(decoder.decode());
      if (line !== '') {
        endLine(line);
        line = '';
      }
      return endLine('');
    },
  };
};

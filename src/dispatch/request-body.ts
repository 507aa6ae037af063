/**
 * The request's body: a JSON document around the two messages, streamed, its length known beforehand.
 *
 * A streamed body without a Content-Length goes out chunked, which gateways refuse; so the messages are walked once to
 * count and once to send, and only ever held as the bytes they came in.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ColdsealError } from '../contract/error.js';
import { escapedLength, escapeSlice, SLICE_BYTES } from '../contract/json-escape.js';
import { type Brief, MODEL_SETTINGS } from '../contract/transport.js';
import { startRunCount } from './read-less.js';

export interface RequestBody {
  /** Exact. */
  readonly contentLength: number;
  /** Bytes of both messages as sent, before escaping. */
  readonly messageBytes: number;
  /** The same with each run of one repeated byte counted once. */
  readonly runBytes: number;
  /** Fresh slices from the start, at every call; reads the messages' memory, keeps none of it. */
  slices(): Generator<Uint8Array, void>;
}

interface BodyParts {
  readonly model: string;
  readonly brief: Brief;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly usageChunk: boolean;
}

/** Counting hands the event loop its turn this often, so an abort is heard. */
const TURN_BYTES = 8 * 1024 * 1024;

/**
 * Settings outside the closed list are `SETTING_REFUSED`; sealed bytes that are no UTF-8 are a fault of ours. Bytes of a
 * brief for this machine may be anything: what is no UTF-8 travels as U+FFFD, since JSON cannot carry it.
 */
export const requestBody = async (parts: BodyParts, signal: AbortSignal): Promise<RequestBody> => {
  const { system, message } = messagesOf(parts.brief);
  const frame = frameOf(parts, system.length > 0);
  const pieces: readonly Uint8Array[] = [frame.start, system, frame.middle, message, frame.end];
  const runs = startRunCount();
  let contentLength = frame.start.length + frame.middle.length + frame.end.length;
  for (const text of [system, message]) {
    for (let from = 0; from < text.length; from += TURN_BYTES) {
      const part = text.subarray(from, from + TURN_BYTES);
      contentLength += escapedLength(part);
      runs.take(part);
      if (part.length === TURN_BYTES) {
        await nextTurn();
        signal.throwIfAborted();
      }
    }
  }
  return {
    contentLength,
    messageBytes: system.length + message.length,
    runBytes: runs.total(),
    *slices() {
      for (const piece of pieces) {
        if (piece !== system && piece !== message) {
          yield piece;
          continue;
        }
        for (let from = 0; from < piece.length; from += SLICE_BYTES) {
          yield escapeSlice(piece.subarray(from, from + SLICE_BYTES));
        }
      }
    },
  };
};

/** The settings as they will travel; refuses what the closed list does not name. */
const checkedSettings = (settings: Readonly<Record<string, unknown>>): string => {
  const allowed: readonly string[] = MODEL_SETTINGS;
  const foreign = Object.keys(settings).filter((name) => !allowed.includes(name));
  if (foreign.length > 0) {
    throw new ColdsealError(
      'SETTING_REFUSED',
      `The setting ${foreign.map((name) => JSON.stringify(name)).join(', ')} is not one that may travel; the list is ${MODEL_SETTINGS.join(', ')}. Remove it.`,
      { facts: { settings: foreign.length } },
    );
  }
  const text = JSON.stringify(settings);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
};

const messagesOf = (brief: Brief): { readonly system: Uint8Array; readonly message: Uint8Array } => {
  if (brief.kind === 'local') {
    return { system: asUtf8(brief.system), message: asUtf8(brief.message) };
  }
  const { system, message } = brief.bundle;
  if (!isUtf8(system) || !isUtf8(message)) {
    throw new ColdsealError('INTERNAL', 'A sealed bundle holds bytes that are not UTF-8; nothing was sent.');
  }
  return { system, message };
};

const asUtf8 = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder().decode(bytes));

const frameOf = (parts: BodyParts, hasSystem: boolean) => {
  const start = `{"model":${JSON.stringify(parts.model)},"messages":[${hasSystem ? '{"role":"system","content":"' : ''}`;
  const middle = `${hasSystem ? '"},' : ''}{"role":"user","content":"`;
  const usage = parts.usageChunk ? ',"stream_options":{"include_usage":true}' : '';
  const end = `"}],"stream":true${usage}${checkedSettings(parts.settings)}}`;
  return { start: Buffer.from(start), middle: Buffer.from(middle), end: Buffer.from(end) };
};

/**
 * A client's body into memory. What all bodies under way hold together is bounded as well as each of them: many clients
 * that each stay under the limit must not take the service's memory between them.
 */
import { type Cap, LARGEST_CAP_BYTES } from '../../contract/bundle.js';
import { ColdsealError } from '../../contract/error.js';

/** A request that is over its cap is read to its end, so that its largest items can be named. */
const LEAST_READ_BYTES = 16 * 1024 * 1024;

export const mostBodyBytes = (cap: Cap): number =>
  Math.min(LARGEST_CAP_BYTES, Math.max(4 * cap.bytes, LEAST_READ_BYTES));

/** What bodies hold together; one that is alone may be larger. */
const MOST_HELD_BYTES = 128 * 1024 * 1024;
/** A client that sends nothing for so long has gone. */
const SILENCE_MS = 30_000;

export interface BodyShare {
  /** `BUSY` where there is no room for so many more. */
  take(bytes: number): void;
  release(): void;
}

export interface BodyRoom {
  share(): BodyShare;
}

export const createBodyRoom = (mostBytes: number = MOST_HELD_BYTES): BodyRoom => {
  let held = 0;
  return {
    share: () => {
      let own = 0;
      return {
        take: (bytes) => {
          if (held + bytes > mostBytes && held > own) {
            throw new ColdsealError(
              'BUSY',
              `the requests under way hold ${held} bytes, the limit is ${mostBytes}; ask again when some have ended. Nothing was sent.`,
              { facts: { held_bytes: held, most_bytes: mostBytes } },
            );
          }
          held += bytes;
          own += bytes;
        },
        release: () => {
          held -= own;
          own = 0;
        },
      };
    },
  };
};

/** The whole body. `ITEM_TOO_LARGE`, `BUSY`, `CANCELLED` for a client that sends no more, the signal's reason. */
export const readBody = async (
  body: AsyncIterable<Uint8Array>,
  cap: Cap,
  share: BodyShare,
  signal: AbortSignal,
  silenceMs: number = SILENCE_MS,
): Promise<Uint8Array> => {
  const most = mostBodyBytes(cap);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of untilSilent(body, silenceMs)) {
    signal.throwIfAborted();
    bytes += chunk.length;
    if (bytes > most) {
      throw new ColdsealError('ITEM_TOO_LARGE', `The request is over ${most} bytes and was not read to its end.`, {
        facts: { most_bytes: most },
      });
    }
    share.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

async function* untilSilent(body: AsyncIterable<Uint8Array>, silenceMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withinTime(chunks.next(), silenceMs);
    if (next.done === true) return;
    yield next.value;
  }
}

const withinTime = async <T>(next: Promise<T>, mostMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ColdsealError('CANCELLED', `Nothing of the request came for ${mostMs / 1000} s. Nothing was sent.`));
    }, mostMs);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
};

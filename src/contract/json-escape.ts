/**
 * UTF-8 bytes as the inside of a JSON string and back, without ever making a string of them.
 *
 * A bundle may have 256 MiB: V8's strings end at 512 MiB and a second copy would double the memory, so bytes are counted
 * once for the Content-Length and escaped a slice at a time while they are sent.
 */

/** Bytes read before a slice is handed over or the event loop gets its turn. */
export const SLICE_BYTES = 64 * 1024;

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

/** Escape of each byte that needs one; `undefined` for the rest, bytes of longer characters included. */
const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const short = SHORT_ESCAPES.get(byte);
  if (short !== undefined) {
    return Buffer.from(short, 'latin1');
  }
  return byte < 0x20 ? Buffer.from(`\\u${byte.toString(16).padStart(4, '0')}`, 'latin1') : undefined;
});

/** Bytes that each byte takes once escaped: 1, 2 or 6. */
const ESCAPED_LENGTHS = Uint8Array.from(ESCAPES, (escaped) => escaped?.length ?? 1);

/** Bytes that the whole takes once escaped. */
export const escapedLength = (bytes: Uint8Array): number => {
  let total = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    total += ESCAPED_LENGTHS[bytes[at] ?? 0] ?? 1;
  }
  return total;
};

/** A new buffer with the escaped bytes; the caller's bytes are only read. Meant for slices. */
export const escapeSlice = (bytes: Uint8Array): Uint8Array => {
  const out = Buffer.allocUnsafe(escapedLength(bytes));
  if (out.length === bytes.length) {
    out.set(bytes);
    return out;
  }
  escapeInto(out, 0, bytes);
  return out;
};

/** Writes the escaped bytes into `out` from `start`; where they end. There must be room for `escapedLength` bytes. */
export const escapeInto = (out: Uint8Array, start: number, bytes: Uint8Array): number => {
  let to = start;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const escaped = ESCAPES[byte];
    if (escaped === undefined) {
      out[to] = byte;
      to += 1;
    } else {
      out.set(escaped, to);
      to += escaped.length;
    }
  }
  return to;
};

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** What each letter after a backslash stands for, of those that `escapeInto` writes. */
const PLAIN = new Uint8Array(256);
for (const [byte, written] of SHORT_ESCAPES) PLAIN[written.charCodeAt(1)] = byte;

/** The way back: bytes that `escapeInto` wrote, as they were, into `out`, which has room for all of them. */
export const unescapeInto = (out: Uint8Array, escaped: Uint8Array): void => {
  let to = 0;
  for (let at = 0; at < escaped.length; to += 1) {
    let byte = escaped[at] ?? 0;
    at += 1;
    if (byte === BACKSLASH) {
      const letter = escaped[at] ?? 0;
      byte = PLAIN[letter] ?? 0;
      at += 1;
      if (letter === LETTER_U) {
        byte = Number.parseInt(String.fromCharCode(...escaped.subarray(at, at + 4)), 16);
        at += 4;
      }
    }
    out[to] = byte;
  }
};

/**
 * Where offsets of escaped bytes stand in the bytes before they were escaped; an offset inside an escape is that of its
 * character. `offsets` sorted; the bytes are those that `escapeInto` wrote and are walked once.
 */
export const plainOffsets = (escaped: Uint8Array, offsets: readonly number[]): readonly number[] => {
  let at = 0;
  let plain = 0;
  return offsets.map((offset) => {
    while (at < offset) {
      const length = escaped[at] !== BACKSLASH ? 1 : escaped[at + 1] === LETTER_U ? 6 : 2;
      if (at + length > offset) break;
      at += length;
      plain += 1;
    }
    return plain;
  });
};

/**
 * A stream of bytes as lines without their line feeds. A line over the bound is never held: its bytes are passed over and
 * its place is told, so that whoever answers lines stays in step.
 */

export type SplitLine = { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'too-long' };

export interface LineSplitter {
  /** Lines that ended inside this chunk. The chunk must not change afterwards. */
  push(chunk: Uint8Array): readonly SplitLine[];
  /** The last line, where the input does not end with a line feed. */
  finish(): readonly SplitLine[];
  /** Bytes of the line that has not ended; none of one that is passed over. */
  held(): number;
}

const LINE_FEED = 0x0a;

export const splitLines = (mostBytes: number): LineSplitter => {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > mostBytes) isOver = true;
    if (isOver) parts = [];
    else parts.push(part);
  };
  const take = (): SplitLine => {
    const [first] = parts;
    const line: SplitLine = isOver
      ? { kind: 'too-long' }
      : { kind: 'line', bytes: parts.length === 1 && first !== undefined ? first : Buffer.concat(parts) };
    parts = [];
    bytes = 0;
    isOver = false;
    return line;
  };
  return {
    push: (chunk) => {
      const all = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: SplitLine[] = [];
      let start = 0;
      for (let end = all.indexOf(LINE_FEED); end !== -1; end = all.indexOf(LINE_FEED, start)) {
        add(all.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      if (start < all.length) add(all.subarray(start));
      return lines;
    },
    finish: () => (bytes > 0 ? [take()] : []),
    held: () => (isOver ? 0 : bytes),
  };
};

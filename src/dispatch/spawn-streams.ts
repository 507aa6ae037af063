/** The three streams of a spawned program: its input fed as it takes it, its outputs kept within bounds. */
import type { Readable, Writable } from 'node:stream';

const SLICE_BYTES = 256 * 1024;

/** Writes the parts and ends the stream, never ahead of the reader. False when the reader left before the end. */
export const feedInput = async (stdin: Writable, parts: readonly Uint8Array[]): Promise<boolean> => {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += SLICE_BYTES) {
      if (!(await written(stdin, part.subarray(from, from + SLICE_BYTES)))) return false;
    }
  }
  return await new Promise<boolean>((resolve) => {
    stdin.once('error', () => resolve(false));
    stdin.once('close', () => resolve(stdin.writableFinished));
    stdin.end();
  });
};

/** The callback comes once the pipe took the slice, or never will. */
const written = (stdin: Writable, slice: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    if (stdin.destroyed) resolve(false);
    else stdin.write(slice, (error) => resolve(error === null || error === undefined));
  });

export interface KeptOutput {
  /** What came, when all of it was to be kept. */
  bytes(): Uint8Array;
}

/** Reads to the end and keeps everything up to the bound; `onOver` is called once, when more came. */
export const keepOutput = (
  stream: Readable,
  mostBytes: number,
  { onFirst, onOver }: { readonly onFirst: () => void; readonly onOver: () => void },
): KeptOutput => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  stream.on('data', (chunk: Buffer) => {
    if (total === 0) onFirst();
    const wasOver = total > mostBytes;
    total += chunk.length;
    if (total <= mostBytes) chunks.push(chunk);
    else if (!wasOver) onOver();
  });
  return { bytes: () => Buffer.concat(chunks) };
};

/** Reads to the end and keeps the last bytes. */
export const keepTail = (stream: Readable, mostBytes: number): { text(): string } => {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-mostBytes);
  });
  return { text: () => tail.toString('utf8') };
};

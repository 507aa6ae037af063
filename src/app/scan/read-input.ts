/** Standard input whole, in shared memory, bounded. */
import { ColdsealError } from '../../contract/error.js';
import { LARGEST_TEXT_BYTES } from './scan-source.js';

/** `ITEM_TOO_LARGE` as soon as more has come than the bound. */
export const readInput = async (input: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > LARGEST_TEXT_BYTES) {
      throw new ColdsealError(
        'ITEM_TOO_LARGE',
        `standard input has more than ${LARGEST_TEXT_BYTES} bytes (256 MiB), the most that is scanned as one text. Split it at a line end, or scan the file it comes from.`,
        { facts: { limit_bytes: LARGEST_TEXT_BYTES } },
      );
    }
    chunks.push(chunk);
  }
  const whole = new Uint8Array(new SharedArrayBuffer(bytes));
  let at = 0;
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index] ?? new Uint8Array(0);
    whole.set(chunk, at);
    at += chunk.length;
    // Taken: the input does not stand in memory twice for longer than it must.
    chunks[index] = new Uint8Array(0);
  }
  return whole;
};

/**
 * What the record can know of an answer that passes through: sizes, the model it names and the counts it reports, from its
 * first and last bytes. Nothing is parsed whole and nothing is changed; where the figures stand elsewhere there are none.
 */
import type { Usage } from '../../contract/transport.js';
import { reportedName } from '../../dispatch/quote.js';
import type { Scrub } from '../../dispatch/scrub.js';

export interface AnswerTap {
  take(bytes: Uint8Array): void;
  readonly bytes: number;
  model(): string | null;
  usage(): Usage | null;
}

const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 8 * 1024;

export const tapAnswer = (scrub: Scrub): AnswerTap => {
  let head = '';
  let tail = '';
  let bytes = 0;
  const count = (names: string): number | null => {
    const found = [...`${head}${tail}`.matchAll(new RegExp(`"(?:${names})"\\s*:\\s*(\\d{1,15})\\b`, 'g'))].at(-1);
    return found?.[1] === undefined ? null : Number(found[1]);
  };
  return {
    take: (chunk) => {
      bytes += chunk.length;
      const read = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      if (head.length < HEAD_BYTES) {
        from = Math.min(read.length, HEAD_BYTES - head.length);
        head += read.toString('latin1', 0, from);
      }
      const kept = read.toString('latin1', Math.max(from, read.length - TAIL_BYTES));
      tail = `${tail}${kept}`.slice(-TAIL_BYTES);
    },
    get bytes() {
      return bytes;
    },
    model: () => reportedName(/"model"\s*:\s*"([\w./:@+~-]{1,128})"/.exec(head)?.[1], scrub),
    usage: () => {
      const promptTokens = count('prompt_tokens|input_tokens');
      const completionTokens = count('completion_tokens|output_tokens');
      return promptTokens === null && completionTokens === null ? null : { promptTokens, completionTokens };
    },
  };
};

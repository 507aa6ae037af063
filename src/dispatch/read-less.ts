/**
 * Did the provider read the whole bundle? Ollama answers 200 after silently shortening the prompt; only its own token
 * count tells.
 *
 * No tokenizer is asked. A token rarely stands for more than 8 bytes, but one byte repeated (indentation, rules of an
 * ASCII table) packs far denser, so each such run counts once. Below that bound nothing but a shortened prompt explains
 * the count. Below half of the usual estimate is only a note: indented JSON really comes to 0.36 of it.
 */
import { estimateTokens } from '../contract/bundle.js';

const MOST_BYTES_PER_TOKEN = 8;
const NOTE_SHARE = 0.5;

/** Counts bytes, each run of one repeated byte once. Feed slices in order; runs go on across them. */
export const startRunCount = (): { take(bytes: Uint8Array): void; total(): number } => {
  let last = -1;
  let runs = 0;
  return {
    take: (bytes) => {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (byte !== last) {
          runs += 1;
          last = byte;
        }
      }
    },
    total: () => runs,
  };
};

type ReadJudgement =
  | { readonly kind: 'whole' }
  | { readonly kind: 'note'; readonly note: string }
  | { readonly kind: 'less'; readonly leastTokens: number };

/** Judges a reported prompt count against the bytes that were sent. */
export const judgeRead = (promptTokens: number | null, sentBytes: number, runBytes: number): ReadJudgement => {
  if (promptTokens === null) {
    return { kind: 'whole' };
  }
  const leastTokens = Math.floor(runBytes / MOST_BYTES_PER_TOKEN);
  if (promptTokens < leastTokens) {
    return { kind: 'less', leastTokens };
  }
  const estimate = estimateTokens(sentBytes);
  if (promptTokens < estimate * NOTE_SHARE) {
    return {
      kind: 'note',
      note: `The provider counted ${promptTokens} prompt tokens where about ${estimate} were expected; it may have read only part.`,
    };
  }
  return { kind: 'whole' };
};

/**
 * What the sandbox was sent, counted while it streams in: a body of 200 MiB is neither kept nor parsed for it.
 *
 * Marks and item keys have no character that JSON escapes, so they can be counted in the body as it stands.
 */

export interface RequestSummary {
  readonly bodyBytes: number;
  /** From the frame's first line, or the item keys of a reading; `null` where the message is neither. */
  readonly items: number | null;
  /** `[blanked ...]` marks, those in the request's own explanation left out. */
  readonly blankedMarks: number;
}

interface SummaryCount {
  take(chunk: Uint8Array): void;
  summary(): RequestSummary;
}

const MARKS =
  /\[blanked [a-z]+(?::[a-z0-9_.-]+)*(?: #\d+)?\]|coldseal-bundle\/1 items=(\d+) |\\?"item_key\\?": ?\\?"itm-/g;
/** Longer than any mark. */
const CARRY_CHARACTERS = 256;

export const countRequest = (): SummaryCount => {
  let bodyBytes = 0;
  let blankedMarks = 0;
  let framed: number | null = null;
  let keyed = 0;
  let carry = '';
  return {
    take: (chunk) => {
      bodyBytes += chunk.length;
      const text = carry + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      let counted = 0;
      for (const found of text.matchAll(MARKS)) {
        counted = found.index + found[0].length;
        if (found[1] !== undefined) {
          framed ??= Number(found[1]);
        } else if (found[0].startsWith('[')) {
          blankedMarks += 1;
        } else {
          keyed += 1;
        }
      }
      carry = text.slice(Math.max(counted, text.length - CARRY_CHARACTERS));
    },
    summary: () => ({ bodyBytes, items: framed ?? (keyed === 0 ? null : keyed), blankedMarks }),
  };
};

/**
 * Reads the body of an error, bounded in time and size. What did not arrive whole is not quoted, and an answer whose end
 * was not seen is no reason to try again.
 */
import type { AnswerHead } from './exchange.js';

export const ERROR_BODY_BYTES = 16 * 1024;

/** The body's text, or `null` when it was cut off, is over the bound, or the time for it ran out. */
export const readErrorBody = async (head: AnswerHead, mostBytes: number): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const bytes of head.body) {
      total += bytes.length;
      if (total > mostBytes) {
        return null;
      }
      chunks.push(bytes);
    }
  } catch {
    return null;
  }
  const encoding = head.headers['content-encoding'];
  return encoding === undefined || encoding === 'identity' ? new TextDecoder().decode(Buffer.concat(chunks)) : '';
};

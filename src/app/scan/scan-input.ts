/** `scan --blank`: one text in, the same bytes out but for what was found. */
import { blankBytes, scanTextOf } from './blank-bytes.js';
import { readInput } from './read-input.js';
import type { ScanSession } from './scan-session.js';
import { settleTexts } from './settle-texts.js';

export interface BlankedInput {
  readonly parts: Iterable<Uint8Array>;
  readonly spans: number;
}

/** Nothing is written before the whole text was scanned. `ITEM_TOO_LARGE`, `SCAN_FAILED`, `FINDING_SURVIVES`. */
export const blankInput = async (
  session: ScanSession,
  input: AsyncIterable<Uint8Array>,
  name: string,
): Promise<BlankedInput> => {
  const bytes = await readInput(input);
  const scanText = scanTextOf(bytes);
  const [settled] = await settleTexts(session, [{ item: name, bytes: scanText.text }], true);
  if (settled === undefined) return { parts: [bytes], spans: 0 };
  if (!settled.ok) throw settled.error;
  return { parts: blankBytes(bytes, scanText, settled), spans: settled.text.spans.length };
};

/**
 * The leaves of a request as texts to blank, and the blanked texts as the next body. What is written for a span stands in
 * the text again with its place, so that a later round knows what is ours.
 */
import { blank, blankedChunks } from '../../bundle/blank.js';
import type { BundleText } from '../../bundle/bundle-text.js';
import { numberValues, type ValueNumbers } from '../../bundle/number-values.js';
import { ColdsealError } from '../../contract/error.js';
import type { GateRequest } from '../../gate/gate-request.js';
import { readingRequest } from '../../gate/read-request.js';
import { inTurns } from '../../gate/steps.js';
import { type Replacement, writeRequest } from '../../gate/write-request.js';

/** `itm-0001` and on. */
export const itemId = (item: number): string => `itm-${String(item + 1).padStart(4, '0')}`;

/** One a leaf, in order, without spans. */
export const leafTexts = ({ leaves }: GateRequest): readonly BundleText[] =>
  leaves.map(({ item, bytes, isName, isExempt }) => ({
    item: itemId(item),
    part: isName ? 'name' : 'text',
    bytes,
    keepsSigns: false,
    exempt: isExempt ? [{ start: 0, end: bytes.length }] : [],
    spans: [],
  }));

export interface WrittenRequest {
  readonly request: GateRequest;
  readonly texts: readonly BundleText[];
}

/** The body with every span of the texts blanked, read anew: what would leave is what is looked at from here on. */
export const writeBlanked = async (
  request: GateRequest,
  texts: readonly BundleText[],
  signal: AbortSignal,
): Promise<WrittenRequest> => {
  const numbers = numberValues(texts);
  const body = writeRequest(request, (leaf) => replacements(texts[leaf], numbers));
  const written = await inTurns(readingRequest(body), signal);
  const placed = texts.map((text) => (text.spans.length === 0 ? null : (blank([text], numbers).texts[0] ?? null)));
  if (written.leaves.length !== texts.length) throw changed();
  return {
    request: written,
    texts: texts.map((text, leaf) => {
      const bytes = written.leaves[leaf]?.bytes ?? new Uint8Array();
      const own = placed[leaf] ?? text;
      if (Buffer.compare(bytes, own.bytes) !== 0) throw changed();
      return { ...text, bytes, spans: own.spans };
    }),
  };
};

const replacements = (text: BundleText | undefined, numbers: ValueNumbers): readonly Replacement[] => {
  if (text === undefined || text.spans.length === 0) return [];
  return [...blankedChunks(text, numbers)].flatMap(({ bytes, span }) =>
    span === null ? [] : [{ start: span.start, end: span.end, bytes }],
  );
};

/** A body whose JSON means something else once it is blanked is not sent. */
const changed = (): ColdsealError =>
  new ColdsealError(
    'SCAN_FAILED',
    'The request could not be blanked without changing what else it says, so nothing was sent. Take the secret out of it.',
    { facts: { bound: 'rewrite' } },
  );

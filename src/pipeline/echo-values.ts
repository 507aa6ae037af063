/**
 * The second pass: every other place where a value that was told as a secret stands, in any of its encodings, in every
 * text of the bundle, names and system message included. An echo keeps the kind of the span that told the value, and its
 * number, because it is the same value.
 */
import type { BundleText, KnownSpan } from '../bundle/bundle-text.js';
import { compareVoice } from '../bundle/merge-spans.js';
import { ColdsealError } from '../contract/error.js';
import { MOST_FINDINGS_IN_TEXT } from '../contract/item-bounds.js';
import type { EchoNeedle, Scanner } from '../contract/scan.js';
import { batchTexts, type ListedText } from './batch-texts.js';
import { withSpans } from './known-spans.js';
import { runWindow, type WindowBounds } from './run-window.js';

/** A value to look for, with the span whose kind and rule its echoes take. */
export interface ToldValue {
  readonly bytes: Uint8Array;
  readonly teller: Omit<KnownSpan, 'start' | 'end' | 'line'>;
}

/**
 * The values of one text's spans that may be looked for, each with the span that says most about it; values in `known`
 * were told by an earlier text and stay as they are.
 */
export const addToldValues = (
  known: Map<number, ToldValue>,
  spans: readonly KnownSpan[],
  echoable: (valueId: number) => Uint8Array | undefined,
): void => {
  const here = new Map<number, KnownSpan>();
  for (const span of spans) {
    if (span.severity !== 'block' || known.has(span.valueId)) continue;
    const best = here.get(span.valueId);
    if (best === undefined || compareVoice(span, best) < 0) here.set(span.valueId, span);
  }
  for (const [valueId, teller] of here) {
    const bytes = echoable(valueId);
    if (bytes !== undefined) known.set(valueId, { bytes, teller });
  }
};

/** The same texts in the same order, with the echoes of `told` added. One pass, whatever the number of values. */
export const echoValues = async (
  texts: readonly BundleText[],
  told: readonly ToldValue[],
  scanner: Pick<Scanner, 'echo'>,
  bounds: WindowBounds,
): Promise<readonly BundleText[]> => {
  if (told.length === 0) return texts;
  const needles: readonly EchoNeedle[] = told.map(({ bytes }, id) => ({ id, bytes }));
  const added = new Map<number, readonly KnownSpan[]>();
  await runWindow(
    () => batchTexts(namesFirst(texts)),
    async ({ buffer, inputs }, signal) => {
      const { outcomes } = await scanner.echo({ task: 'echo', buffer, inputs, needles }, signal);
      const hits = new Map(outcomes.map((outcome) => [outcome.ref, outcome.hits]));
      for (const { ref } of inputs) {
        const found = hits.get(ref);
        if (found === undefined) throw unanswered(texts[ref]);
        if (found === null) throw overfull(texts[ref]);
        added.set(
          ref,
          found.flatMap(({ start, end, line, needleId }) => {
            const teller = told[needleId]?.teller;
            return teller === undefined ? [] : [{ ...teller, start, end, line }];
          }),
        );
      }
    },
    bounds,
  );
  return texts.map((text, ref) => withSpans(text, added.get(ref) ?? []));
};

/** Names stand in one buffer and texts in others: in turns, each of them would be a message of its own. */
const namesFirst = (texts: readonly BundleText[]): readonly ListedText[] => {
  const listed = texts.map((text, ref) => ({ ref, text }));
  return [...listed.filter(({ text }) => text.part !== 'text'), ...listed.filter(({ text }) => text.part === 'text')];
};

const overfull = (text: BundleText | undefined): ColdsealError =>
  new ColdsealError(
    'SCAN_FAILED',
    `known values stand in ${text?.item ?? 'an item'} more than ${MOST_FINDINGS_IN_TEXT} times, the most that are held of one text (findings). Withhold it with \`coldseal withhold add GLOB\`, or scan it in parts.`,
    { facts: { item: text?.item ?? null, bound: 'findings', limit: MOST_FINDINGS_IN_TEXT } },
  );

const unanswered = (text: BundleText | undefined): ColdsealError =>
  new ColdsealError(
    'SCAN_FAILED',
    `${text?.item ?? 'an item'} could not be searched for known values (engine-fault: the scanner gave no answer for it). Report it.`,
    { facts: { item: text?.item ?? null, bound: 'engine-fault' } },
  );

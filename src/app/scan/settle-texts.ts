/**
 * Texts from bytes to spans, each on its own: scan, echo of its values inside it, and where the blanked text is wanted
 * the re-scan of what would be written, three rounds at most. Numbers start again with each text.
 */
import { blank } from '../../bundle/blank.js';
import type { BundleText, KnownSpan } from '../../bundle/bundle-text.js';
import { findSurviving } from '../../bundle/find-surviving.js';
import { numberValues, type ValueNumbers } from '../../bundle/number-values.js';
import { ColdsealError } from '../../contract/error.js';
import type { Span } from '../../contract/finding.js';
import type { SecretValue } from '../../contract/scan.js';
import { packShared } from '../../pipeline/batch-texts.js';
import { echoValues } from '../../pipeline/echo-values.js';
import { spansHeard, withSpans } from '../../pipeline/known-spans.js';
import { createKnownValues, type KnownValues } from '../../pipeline/known-values.js';
import { runWindow } from '../../pipeline/run-window.js';
import { hearTexts, type NamedText } from './hear-texts.js';
import type { ScanSession } from './scan-session.js';

export type SettledText =
  | {
      readonly ok: true;
      /** The text as it was given, with its spans: sorted, not overlapping. */
      readonly text: BundleText;
      /** What the scanner said before spans were united. */
      readonly heard: readonly KnownSpan[];
      readonly numbers: ValueNumbers;
      /** The value behind a span's id. Held only while the text is. */
      readonly valueBehind: (valueId: number) => Uint8Array | undefined;
    }
  | { readonly ok: false; readonly error: ColdsealError };

const ROUNDS = 3;

/** A text in which something was found. */
interface Dirty {
  text: BundleText;
  readonly heard: KnownSpan[];
  readonly known: KnownValues;
  readonly values: Map<number, Uint8Array>;
  error: ColdsealError | null;
}

const idOf =
  ({ known, values }: Dirty) =>
  (value: SecretValue): number => {
    const id = known.idOf(value);
    values.set(id, value.bytes);
    return id;
  };

const plain = ({ item, bytes }: NamedText): BundleText => ({
  item,
  part: 'text',
  bytes,
  keepsSigns: false,
  exempt: [],
  spans: [],
});

/**
 * Adds spans and the echoes of what they tell; each text is searched for its own values alone. One that holds more than
 * can be looked for is refused, the others are not.
 */
const addSpans = async (session: ScanSession, dirty: Dirty, spans: readonly KnownSpan[]): Promise<void> => {
  try {
    await addSpansAndEchoes(session, dirty, spans);
  } catch (error) {
    if (!(error instanceof ColdsealError) || error.code !== 'SCAN_FAILED') throw error;
    dirty.error = error;
  }
};

const addSpansAndEchoes = async (session: ScanSession, dirty: Dirty, spans: readonly KnownSpan[]): Promise<void> => {
  // One by one: a call takes no more than some hundred thousand arguments.
  for (const span of spans) dirty.heard.push(span);
  dirty.text = withSpans(dirty.text, spans);
  dirty.known.tell(spans);
  const [text] = await echoValues([dirty.text], dirty.known.takeNew(), session.scanner, session.bounds);
  if (text !== undefined) dirty.text = text;
};

/** Each at most once at a time, a few side by side. */
const eachOf = <T>(session: ScanSession, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> =>
  runWindow(
    () => items.map((item) => ({ item, bytes: 0 })),
    ({ item }) => work(item),
    session.bounds,
  );

/** Index of the last span that begins before `at`, or at it where `inclusive`; -1 without one. */
const lastFrom = (spans: readonly Span[], at: number, inclusive: boolean): number => {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = spans[middle]?.start ?? 0;
    if (start < at || (inclusive && start === at)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** A span of the blanked text in the bytes of the text itself; one that touches a placeholder takes its span whole. */
const unblanked = <S extends Span>(span: S, before: readonly Span[], after: readonly Span[]): S => {
  const place = (at: number, isEnd: boolean): number => {
    const index = lastFrom(after, at, !isEnd);
    const [own, written] = [before[index], after[index]];
    if (own === undefined || written === undefined) return at;
    if (at < written.end || (isEnd && at === written.end)) return isEnd ? own.end : own.start;
    return at + own.end - written.end;
  };
  return { ...span, start: place(span.start, false), end: place(span.end, true) };
};

const survives = (item: string, { ruleId, kind }: KnownSpan): ColdsealError =>
  new ColdsealError('FINDING_SURVIVES', `rule ${ruleId} still finds a ${kind} in ${item} after ${ROUNDS} rounds`, {
    facts: { rule: ruleId, rounds: ROUNDS },
  });

const isWhole = ({ error }: Dirty): boolean => error === null;

/** One round of the re-scan; answers the texts that were blanked further. */
const rescan = async (session: ScanSession, round: number, texts: readonly Dirty[]): Promise<readonly Dirty[]> => {
  const blanked = texts.map(({ text }) => blank([text], numberValues([text])));
  const packed = packShared(blanked.map(({ bytes }) => bytes));
  const answers = await hearTexts(
    session,
    packed.map((bytes, index) => ({ item: texts[index]?.text.item ?? '', bytes })),
  );
  const again: Dirty[] = [];
  const found = new Map<Dirty, readonly KnownSpan[]>();
  texts.forEach((dirty, index) => {
    const answer = answers[index];
    const written = blanked[index]?.texts[0]?.spans ?? [];
    if (answer?.ok !== true) {
      dirty.error = answer?.error ?? null;
      return;
    }
    const surviving = findSurviving(spansHeard(answer.heard, idOf(dirty)), written);
    if (surviving.length === 0) return;
    const blocking = surviving.find(({ severity }) => severity === 'block');
    if (round > ROUNDS) {
      if (blocking !== undefined) dirty.error = survives(dirty.text.item, blocking);
      return;
    }
    found.set(
      dirty,
      surviving.map((span) => unblanked(span, dirty.text.spans, written)),
    );
    again.push(dirty);
  });
  await eachOf(session, again, (dirty) => addSpans(session, dirty, found.get(dirty) ?? []));
  return again.filter(isWhole);
};

/**
 * One answer a text, in order; texts over shared memory, small ones beside one another in it.
 *
 * @param rescans scan what would be written as well; a report of findings needs no such text
 */
export const settleTexts = async (
  session: ScanSession,
  texts: readonly NamedText[],
  rescans: boolean,
): Promise<readonly SettledText[]> => {
  const answers = await hearTexts(session, texts);
  const dirty = new Map<number, Dirty>();
  const spans = new Map<Dirty, readonly KnownSpan[]>();
  texts.forEach((named, ref) => {
    const answer = answers[ref];
    if (answer?.ok !== true || answer.heard.findings.length === 0) return;
    const one: Dirty = {
      text: plain(named),
      heard: [],
      known: createKnownValues([]),
      values: new Map(),
      error: null,
    };
    dirty.set(ref, one);
    spans.set(one, spansHeard(answer.heard, idOf(one)));
  });
  await eachOf(session, [...dirty.values()], (one) => addSpans(session, one, spans.get(one) ?? []));
  let open: readonly Dirty[] = rescans ? [...dirty.values()].filter(isWhole) : [];
  for (let round = 1; open.length > 0; round += 1) open = await rescan(session, round, open);

  return texts.map((named, ref): SettledText => {
    const answer = answers[ref];
    const one = dirty.get(ref);
    if (answer?.ok === false) return answer;
    if (one === undefined) return clean(named);
    if (one.error !== null) return { ok: false, error: one.error };
    const { text, heard, values } = one;
    return { ok: true, text, heard, numbers: numberValues([text]), valueBehind: (id) => values.get(id) };
  });
};

const clean = (named: NamedText): SettledText => ({
  ok: true,
  text: plain(named),
  heard: [],
  numbers: new Map(),
  valueBehind: () => undefined,
});

/**
 * Reads and scans every text of the bundle. Names come first: they are small, and a refusal can then say a name that is
 * clean; the first items are read meanwhile. Items are scanned as they are read and tallied as they end; once the tally is
 * over the limit nothing more is read, because no later item can bring it down, but for a diff whose size the refusal has
 * to name.
 */
import type { BundleText } from '../bundle/bundle-text.js';
import { mergeSpans } from '../bundle/merge-spans.js';
import { createTally } from '../bundle/tally.js';
import { ColdsealError } from '../contract/error.js';
import type { LoadedItem } from '../contract/item.js';
import { MOST_FINDINGS_IN_BUNDLE } from '../contract/item-bounds.js';
import type { AssemblyRequest } from './assembly-request.js';
import { batchTexts, type ListedText, type TextBatch } from './batch-texts.js';
import { begunAtOnce, countDown } from './begun-source.js';
import { refuseStopped } from './judge-cap.js';
import { spansHeard, withSpans } from './known-spans.js';
import { itemText, listNames, type TextLayout, textLayout } from './list-texts.js';
import { runWindow, type WindowBounds } from './run-window.js';
import { type Heard, type NamedText, NOTHING_HEARD, scanBatch } from './scan-texts.js';

export interface ScannedItems {
  /** In the order of the framed bytes, without spans. */
  readonly texts: readonly BundleText[];
  /** What was heard in each text, by its place in `texts`. */
  readonly heard: readonly Heard[];
  /** In list order. */
  readonly loaded: readonly LoadedItem[];
  /** The tally's figure: items' texts, blanked, before echo. */
  readonly blankedBytes: number;
  readonly scannedBytes: number;
}

export const windowBounds = (request: AssemblyRequest): WindowBounds => ({
  // Two a thread: the next batch waits where the last one ends.
  most: 2 * request.scanner.threads,
  mostBytes: request.inFlightBytes,
  signal: request.signal,
});

/**
 * @param mostFindings that are held, in all texts together
 * @throws ColdsealError `OVER_CAP` as soon as the tally passes the limit, `SCAN_FAILED`, or what the source throws
 */
export const scanItems = async (
  request: AssemblyRequest,
  mostFindings: number = MOST_FINDINGS_IN_BUNDLE,
): Promise<ScannedItems> => {
  const { plan, observe } = request;
  const bounds = windowBounds(request);
  const layout = textLayout(plan);
  const texts = new Map(listNames(plan, layout, request.system));
  const heard = new Map<number, Heard>();
  const loaded = new Map<number, LoadedItem>();
  const tally = createTally(request.stopAtBytes);
  /** Items whose size is told by reading them; a refusal names the exact size of all. */
  let unsized = plan.items.filter(({ rawBytes }) => rawBytes === null).length;
  let held = 0;
  const names = [...batchTexts([...texts].map(([ref, text]) => ({ ref, text })))];
  const namesHeard = countDown(names.length);

  const scan = async (batch: TextBatch, signal: AbortSignal): Promise<void> => {
    const nameOf = (ref: number) => nameOfText(request, layout, texts, heard, ref);
    const answers = await scanBatch(request, batch, nameOf, signal);
    // Taken after the wait: other batches end meanwhile, and each is told once.
    const before = tally.blankedBytes;
    let findings = 0;
    for (const [ref, answer] of answers) {
      heard.set(ref, answer);
      findings += answer.findings.length;
      if (isItemText(layout, ref)) tally.add(scannedText(texts, ref, answer));
    }
    const items = batch.inputs.filter(({ ref }) => isItemText(layout, ref)).length;
    observe({ kind: 'scanned', items, bytes: batch.bytes, blankedBytes: tally.blankedBytes - before, findings });
    held += findings;
    if (held > mostFindings) throw refuseOverfull(nameOf(batch.inputs[0]?.ref ?? 0), mostFindings);
    if (names.includes(batch)) namesHeard.tick();
    if (unsized === 0) refuseOverLimit();
  };
  const refuseOverLimit = (): void => {
    if (tally.isPassed) throw refuseStopped(request, loaded, (index) => cleanName(layout, texts, heard, index));
  };

  const open = async function* (signal: AbortSignal): AsyncGenerator<TextBatch> {
    const places = new Map(plan.items.map((item, index) => [item.id, index]));
    const items = begunAtOnce(request.openItems(signal));
    try {
      yield* names;
      await namesHeard.reached(signal);
      for await (const batch of items.rest()) {
        unsized -= batch.filter(({ item }) => item.rawBytes === null).length;
        yield* batchTexts(batch.map((item) => takeIn(item, layout, places, loaded, texts)));
      }
    } finally {
      await items.leave();
    }
  };

  await runWindow(open, scan, bounds);
  refuseOverLimit();
  const inListOrder = inOrder(request, layout, texts, heard, loaded);
  const scannedBytes = inListOrder.heard.reduce((sum, answer) => sum + answer.scannedBytes, 0);
  return { ...inListOrder, blankedBytes: tally.blankedBytes, scannedBytes };
};

const refuseOverfull = ({ item, shown }: NamedText, most: number): ColdsealError =>
  new ColdsealError(
    'SCAN_FAILED',
    `the bundle holds more than ${most} findings, the most that are held of one bundle (findings); they passed it at ${shown}. Withhold the files that are full of them with \`coldseal withhold add GLOB\`, or narrow the list.`,
    { facts: { item, bound: 'findings', limit: most } },
  );

const isItemText = (layout: TextLayout, ref: number): boolean => {
  const index = layout.itemIndexOf(ref);
  return index >= 0 && ref === layout.textRef(index);
};

const scannedText = (texts: ReadonlyMap<number, BundleText>, ref: number, answer: Heard): BundleText => {
  const text = texts.get(ref);
  if (text === undefined) throw new ColdsealError('INTERNAL', `the scanner answered for a text that is not there`);
  // One id for every value: the tally's placeholders all have the shortest number.
  return withSpans(text, mergeSpans(spansHeard(answer, () => 0)));
};

const takeIn = (
  item: LoadedItem,
  layout: TextLayout,
  places: ReadonlyMap<string, number>,
  loaded: Map<number, LoadedItem>,
  texts: Map<number, BundleText>,
): ListedText => {
  const index = places.get(item.item.id);
  if (index === undefined || loaded.has(index)) {
    throw new ColdsealError('INTERNAL', `${item.item.id} was read twice or is not in the plan`);
  }
  const text = itemText(item);
  loaded.set(index, item);
  const ref = layout.textRef(index);
  texts.set(ref, text);
  return { ref, text };
};

const inOrder = (
  { plan }: AssemblyRequest,
  layout: TextLayout,
  texts: ReadonlyMap<number, BundleText>,
  heard: ReadonlyMap<number, Heard>,
  loaded: ReadonlyMap<number, LoadedItem>,
): Pick<ScannedItems, 'texts' | 'heard' | 'loaded'> => {
  const items = plan.items.map((item, index) => {
    const own = loaded.get(index);
    if (own !== undefined) return own;
    throw new ColdsealError('ITEM_UNREADABLE', `${item.id} (${item.input}) was planned and not read; run \`git fsck\``);
  });
  const refs = Array.from({ length: layout.count }, (_, ref) => ref);
  return {
    loaded: items,
    texts: refs.flatMap((ref) => texts.get(ref) ?? []),
    heard: refs.map((ref) => heard.get(ref) ?? unheard(texts.get(ref))),
  };
};

/** Only an empty text may have gone unheard. */
const unheard = (text: BundleText | undefined): Heard => {
  if (text?.bytes.length === 0) return NOTHING_HEARD;
  throw new ColdsealError('INTERNAL', `a text of ${text?.item ?? 'no item'} was not scanned`);
};

/** How a refusal names a text: by its id and, where that is clean, its name. */
const nameOfText = (
  { plan }: AssemblyRequest,
  layout: TextLayout,
  texts: ReadonlyMap<number, BundleText>,
  heard: ReadonlyMap<number, Heard>,
  ref: number,
): NamedText => {
  if (ref === layout.systemRef) return { item: 'system', shown: 'the system message' };
  if (ref > layout.systemRef) return { item: 'deleted', shown: 'the name of a deleted file' };
  const index = layout.itemIndexOf(ref);
  if (index < 0) return { item: 'document', shown: 'a string of the reading’s document' };
  const item = plan.items[index]?.id ?? 'unplanned';
  const shown = `${item} (${plan.items[index]?.input ?? 'no input'})`;
  if (ref !== layout.textRef(index)) return { item, shown: `the name of ${shown}` };
  const name = cleanName(layout, texts, heard, index);
  return { item, shown: name === null || name === '' ? shown : `${shown} ${name}` };
};

/** An item's name as it may be shown before anything is blanked; `null` when it holds a finding. */
const cleanName = (
  layout: TextLayout,
  texts: ReadonlyMap<number, BundleText>,
  heard: ReadonlyMap<number, Heard>,
  index: number,
): string | null => {
  const ref = layout.nameRef(index);
  const name = texts.get(ref);
  const hasFinding = (heard.get(ref)?.findings.length ?? 0) > 0;
  return name === undefined || hasFinding ? null : Buffer.from(name.bytes).toString('utf8');
};

/**
 * Surfaces of a request through the scanner, and what was found on them as spans of leaves. They travel in as many
 * messages as there are threads, so that one request keeps each busy; equal surfaces are scanned once.
 */
import type { BundleText, KnownSpan } from '../../bundle/bundle-text.js';
import { ColdsealError } from '../../contract/error.js';
import type { Scanner, SecretValue } from '../../contract/scan.js';
import { echoFinders } from '../../engine/find-echoes.js';
import type { GateRequest, GateSurface } from '../../gate/gate-request.js';
import { batchTexts, type ListedText } from '../../pipeline/batch-texts.js';
import { echoValues, type ToldValue } from '../../pipeline/echo-values.js';
import { spansHeard } from '../../pipeline/known-spans.js';
import { runWindow, type WindowBounds } from '../../pipeline/run-window.js';
import { type Heard, type NamedText, NOTHING_HEARD, type ScanWork, scanBatch } from '../../pipeline/scan-texts.js';
import type { TakeShared } from '../scan/scan-source.js';
import { itemId } from './gate-texts.js';

/** A surface in memory that threads share, and the other surfaces of the same bytes. */
export interface PackedSurface {
  readonly text: BundleText;
  readonly surfaces: readonly GateSurface[];
}

/** Less than this is not worth a message of its own. */
const LEAST_BATCH_BYTES = 16 * 1024;

/** JSON is full of what rules look at, and takes about three times as long as the words in it. */
const JSON_WEIGHT = 3;

/** A longer text is not compared: it is seldom said twice. */
const LONGEST_COMPARED = 256;

/** Copies the surfaces' bytes; the JSON of the body first. */
export const packSurfaces = (surfaces: readonly GateSurface[], take: TakeShared): readonly PackedSurface[] => {
  const alike = new Map<string, GateSurface[]>();
  const groups: GateSurface[][] = [];
  for (const surface of surfaces) {
    const { bytes } = surface;
    const key = bytes.length > LONGEST_COMPARED ? null : Buffer.from(bytes).toString('latin1');
    const known = key === null ? undefined : alike.get(key);
    if (known !== undefined) {
      known.push(surface);
      continue;
    }
    const group = [surface];
    groups.push(group);
    if (key !== null) alike.set(key, group);
  }
  const memory = take(groups.reduce((sum, [first]) => sum + (first?.bytes.length ?? 0), 0));
  let at = 0;
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const bytes = memory.subarray(at, at + first.bytes.length);
    bytes.set(first.bytes);
    at += bytes.length;
    const text = { item: itemId(first.item), part: 'text', bytes, keepsSigns: false, exempt: [], spans: [] } as const;
    return [{ text, surfaces: group }];
  });
};

/** A finding with the surface it stands on. */
export interface Found {
  readonly packed: PackedSurface;
  readonly span: KnownSpan;
}

export interface HeardSurfaces {
  readonly found: readonly Found[];
  readonly scannedBytes: number;
}

/** `SCAN_FAILED` for a surface that was not looked at to its end. */
export const hearSurfaces = async (
  work: ScanWork & { readonly bounds: WindowBounds },
  { items }: Pick<GateRequest, 'items'>,
  packed: readonly PackedSurface[],
  idOf: (value: SecretValue) => number,
): Promise<HeardSurfaces> => {
  const batches = inShares(packed, work.scanner.threads).flatMap((share) => [...batchTexts(share)]);
  const nameOf = (ref: number): NamedText => {
    const item = packed[ref]?.surfaces[0]?.item ?? 0;
    return { item: itemId(item), shown: items[item]?.label ?? 'the request' };
  };
  const heard = new Map<number, Heard>();
  await runWindow(
    () => batches,
    async (batch, signal) => {
      for (const [ref, answer] of await scanBatch(work, batch, nameOf, signal)) heard.set(ref, answer);
    },
    work.bounds,
  );
  // In the order of the surfaces, whatever thread ended first.
  return {
    found: packed.flatMap((one, ref) => {
      const answer = heard.get(ref) ?? (one.text.bytes.length === 0 ? NOTHING_HEARD : null);
      if (answer === null) throw unheard(nameOf(ref));
      return spansHeard(answer, idOf).map((span) => ({ packed: one, span }));
    }),
    scannedBytes: [...heard.values()].reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
  };
};

const unheard = ({ item, shown }: NamedText): ColdsealError =>
  new ColdsealError('SCAN_FAILED', `${shown} was given to no scan thread. Nothing was sent; report it.`, {
    facts: { item, bound: 'engine-fault' },
  });

/**
 * Runs of the surfaces that take a thread about the same time, one for each thread: where one was left over, a thread had
 * to be woken once more for it. A run that is not worth a message joins the one before it.
 */
const inShares = (packed: readonly PackedSurface[], threads: number): readonly (readonly ListedText[])[] => {
  const total = packed.reduce((sum, one) => sum + weightOf(one), 0);
  const shares: { readonly listed: ListedText[]; weight: number }[] = [];
  let before = 0;
  let index = -1;
  for (const [ref, one] of packed.entries()) {
    const weight = weightOf(one);
    const own = Math.floor(((before + weight / 2) * threads) / total);
    const rest = total - before;
    before += weight;
    const open = shares.at(-1);
    if (open === undefined || (own > index && open.weight >= LEAST_BATCH_BYTES && rest >= LEAST_BATCH_BYTES)) {
      shares.push({ listed: [{ ref, text: one.text }], weight });
      index = own;
    } else {
      open.listed.push({ ref, text: one.text });
      open.weight += weight;
    }
  }
  return shares.map(({ listed }) => listed);
};

const weightOf = ({ text, surfaces: [first] }: PackedSurface): number =>
  text.bytes.length * (first?.form === 'json' ? JSON_WEIGHT : 1);

/** Every place of known values on the surfaces. */
export const echoSurfaces = async (
  packed: readonly PackedSurface[],
  told: readonly ToldValue[],
  scanner: Scanner,
  bounds: WindowBounds,
): Promise<readonly Found[]> => {
  if (told.length === 0) return [];
  const bytes = packed.reduce((sum, { text }) => sum + text.bytes.length, 0);
  const isSoonDone = bytes <= MOST_HERE_BYTES && told.length <= MOST_HERE_VALUES;
  const texts = await echoValues(
    packed.map(({ text }) => text),
    told,
    isSoonDone ? SEARCH_HERE : scanner,
    bounds,
  );
  return packed.flatMap((one, ref) => (texts[ref]?.spans ?? []).map((span) => ({ packed: one, span })));
};

/** What is searched for few values in a fraction of the time that it takes to wake a thread for it. */
const MOST_HERE_BYTES = 256 * 1024;
const MOST_HERE_VALUES = 8;

const SEARCH_HERE: Pick<Scanner, 'echo'> = {
  echo: async ({ buffer, inputs, needles }) => {
    const finder = echoFinders()(needles);
    const find = (offset: number, length: number) => finder.find(Buffer.from(buffer, offset, length));
    return { outcomes: inputs.map(({ ref, offset, length }) => ({ ref, hits: find(offset, length) })), busyMs: 0 };
  },
};

export interface PlacedFound {
  readonly leaf: number;
  readonly span: KnownSpan;
}

/** What was found as spans of leaves; `loose` is what stands on no leaf. */
export const placeFound = (
  found: readonly Found[],
): { readonly placed: readonly PlacedFound[]; readonly loose: readonly KnownSpan[] } => {
  const placed: PlacedFound[] = [];
  const loose: KnownSpan[] = [];
  for (const { packed, span } of found) {
    for (const surface of packed.surfaces) {
      const parts = surface.place(span);
      if (parts.length === 0) loose.push(span);
      for (const { leaf, start, end } of parts) placed.push({ leaf, span: { ...span, start, end } });
    }
  }
  return { placed, loose };
};

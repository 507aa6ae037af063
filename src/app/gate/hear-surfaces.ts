/**
 * Surfaces of a request through the scanner, and what was found on them as spans of leaves. They travel in as many
 * messages as there are threads, so that one request keeps each busy; equal surfaces are scanned once.
 */
import type { BundleText, KnownSpan } from '../../bundle/bundle-text.js';
import type { Scanner, SecretValue } from '../../contract/scan.js';
import type { GateRequest, GateSurface } from '../../gate/gate-request.js';
import { batchTexts, type ListedText } from '../../pipeline/batch-texts.js';
import { echoValues, type ToldValue } from '../../pipeline/echo-values.js';
import { spansHeard } from '../../pipeline/known-spans.js';
import { runWindow, type WindowBounds } from '../../pipeline/run-window.js';
import { type Heard, type NamedText, type ScanWork, scanBatch } from '../../pipeline/scan-texts.js';
import type { TakeShared } from '../scan/scan-source.js';
import { itemId } from './gate-texts.js';

/** A surface in memory that threads share, and the other surfaces of the same bytes. */
export interface PackedSurface {
  readonly text: BundleText;
  readonly surfaces: readonly GateSurface[];
}

/** Less than this is not worth a message of its own. */
const LEAST_BATCH_BYTES = 16 * 1024;

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
interface Found {
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
  const listed = packed.map(({ text }, ref): ListedText => ({ ref, text }));
  const share = packed.reduce((sum, { text }) => sum + text.bytes.length, 0) / work.scanner.threads;
  const batches = [...batchTexts(listed, Math.max(LEAST_BATCH_BYTES, Math.ceil(share)))];
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
      const answer = heard.get(ref);
      return answer === undefined ? [] : spansHeard(answer, idOf).map((span) => ({ packed: one, span }));
    }),
    scannedBytes: [...heard.values()].reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
  };
};

/** Every place of known values on the surfaces. */
export const echoSurfaces = async (
  packed: readonly PackedSurface[],
  told: readonly ToldValue[],
  scanner: Scanner,
  bounds: WindowBounds,
): Promise<readonly Found[]> => {
  if (told.length === 0) return [];
  const texts = await echoValues(
    packed.map(({ text }) => text),
    told,
    scanner,
    bounds,
  );
  return packed.flatMap((one, ref) => (texts[ref]?.spans ?? []).map((span) => ({ packed: one, span })));
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

/**
 * Scan, echo, blank, and scan again what would be sent, until nothing new is found: three rounds at most, then a blocking
 * finding refuses. A request in which nothing is found is sent as the bytes that came.
 */
import type { BundleText, KnownSpan } from '../../bundle/bundle-text.js';
import { findSurviving, linesAt } from '../../bundle/find-surviving.js';
import { ColdsealError } from '../../contract/error.js';
import type { Span } from '../../contract/finding.js';
import type { Scanner } from '../../contract/scan.js';
import type { GateRequest, GateSurface } from '../../gate/gate-request.js';
import type { KnownValue } from '../../pipeline/assembly-request.js';
import { withSpans } from '../../pipeline/known-spans.js';
import { createKnownValues, type KnownValues } from '../../pipeline/known-values.js';
import type { WindowBounds } from '../../pipeline/run-window.js';
import type { ScanWork } from '../../pipeline/scan-texts.js';
import type { Lease } from '../scan/shared-arena.js';
import { leafTexts, type WrittenRequest, writeBlanked } from './gate-texts.js';
import {
  echoSurfaces,
  type Found,
  hearSurfaces,
  type PackedSurface,
  type PlacedFound,
  packSurfaces,
  placeFound,
} from './hear-surfaces.js';

export interface SettleWork extends ScanWork {
  readonly scanner: Scanner;
  readonly bounds: WindowBounds;
  /** Credential values of the machine file. */
  readonly knownValues: readonly KnownValue[];
  readonly lease: Lease;
}

export interface SettledRequest {
  /** As it may leave. */
  readonly request: GateRequest;
  /** Its leaves with their spans, where they stand now. */
  readonly texts: readonly BundleText[];
  readonly scannedBytes: number;
}

const ROUNDS = 3;

/** `SCAN_FAILED`, `FINDING_SURVIVES`, or the signal's reason. */
export const settleRequest = async (work: SettleWork, asked: GateRequest): Promise<SettledRequest> => {
  const known = createKnownValues(work.knownValues);
  let looked = await lookAt(work, known, { request: asked, texts: leafTexts(asked) }, []);
  let scannedBytes = looked.heardBytes;
  for (let round = 0; ; round += 1) {
    const { request, texts, packed, found } = looked;
    const { placed, loose } = placeFound(found);
    const missed = notWritten(texts, placed);
    refuseLoose(loose);
    if (missed.length === 0) return { request, texts, scannedBytes };
    if (round >= ROUNDS) {
      refuseBlocking(missed, texts);
      return { request, texts, scannedBytes };
    }
    const marked = addSpans(texts, missed);
    known.tell(missed.map(({ span }) => span));
    // What was told now may stand on surfaces that were clean.
    const whole = round === 0 ? packed : packSurfaces(request.surfaces, work.lease.take);
    const more = placeFound(await echoSurfaces(whole, known.takeNew(), work.scanner, work.bounds));
    const written = await writeBlanked(request, addSpans(marked, more.placed), work.bounds.signal);
    looked = await lookAt(work, known, written, request.surfaces);
    scannedBytes += looked.heardBytes;
  }
};

interface Looked extends WrittenRequest {
  /** Surfaces that were not looked at in this form before. */
  readonly packed: readonly PackedSurface[];
  readonly found: readonly Found[];
  readonly heardBytes: number;
}

/** A request as it stands, its surfaces heard but for those that were looked at already. */
const lookAt = async (
  work: SettleWork,
  known: KnownValues,
  { request, texts }: WrittenRequest,
  scanned: readonly GateSurface[],
): Promise<Looked> => {
  const packed = packSurfaces(unseen(request.surfaces, scanned), work.lease.take);
  const credentials = known.takeNew();
  const [heard, echoed] = await Promise.all([
    hearSurfaces(work, request, packed, known.idOf),
    echoSurfaces(packed, credentials, work.scanner, work.bounds),
  ]);
  work.bounds.signal.throwIfAborted();
  return { request, texts, packed, found: [...heard.found, ...echoed], heardBytes: heard.scannedBytes };
};

/** Surfaces that differ from those of the round before; all of them where they do not correspond. */
const unseen = (surfaces: readonly GateSurface[], scanned: readonly GateSurface[]): readonly GateSurface[] => {
  if (surfaces.length !== scanned.length) return surfaces;
  return surfaces.filter(({ bytes }, index) => Buffer.compare(bytes, scanned[index]?.bytes ?? new Uint8Array()) !== 0);
};

/** Those with a byte outside what was written and what is exempt. Each text is sorted once, however many stand in it. */
const notWritten = (texts: readonly BundleText[], placed: readonly PlacedFound[]): readonly PlacedFound[] => {
  const written = new Map<number, readonly Span[]>();
  const writtenOf = (leaf: number): readonly Span[] => {
    const known = written.get(leaf);
    if (known !== undefined) return known;
    const text = texts[leaf];
    const sorted = [...(text?.spans ?? []), ...(text?.exempt ?? [])].sort((a, b) => a.start - b.start);
    written.set(leaf, sorted);
    return sorted;
  };
  return placed.filter(({ leaf, span }) => findSurviving([span], writtenOf(leaf)).length > 0);
};

const addSpans = (texts: readonly BundleText[], placed: readonly PlacedFound[]): readonly BundleText[] => {
  const byLeaf = new Map<number, KnownSpan[]>();
  for (const { leaf, span } of placed) {
    const spans = byLeaf.get(leaf);
    if (spans === undefined) byLeaf.set(leaf, [span]);
    else spans.push(span);
  }
  return texts.map((text, leaf) => withSpans(text, withLines(text, byLeaf.get(leaf) ?? [])));
};

/** 1-based lines of a text; 0 in a name. The text is walked once. */
const withLines = (text: BundleText, spans: readonly KnownSpan[]): readonly KnownSpan[] => {
  if (text.part === 'name') return spans.map((span) => ({ ...span, line: 0 }));
  const starts = spans.map(({ start }) => start);
  const lines = starts.length === 0 ? null : linesAt(text.bytes, starts);
  return spans.map((span) => ({ ...span, line: lines?.get(span.start) ?? 1 }));
};

const refuseLoose = (loose: readonly KnownSpan[]): void => {
  const blocking = loose.find(({ severity }) => severity === 'block');
  if (blocking !== undefined) throw survives(blocking, 'the JSON around the texts');
};

const refuseBlocking = (missed: readonly PlacedFound[], texts: readonly BundleText[]): void => {
  const blocking = missed.find(({ span }) => span.severity === 'block');
  if (blocking !== undefined) throw survives(blocking.span, texts[blocking.leaf]?.item ?? 'the request');
};

const survives = ({ ruleId, kind }: KnownSpan, where: string): ColdsealError =>
  new ColdsealError(
    'FINDING_SURVIVES',
    `rule ${ruleId} still finds a ${kind} in ${where} after ${ROUNDS} rounds of blanking. Nothing was sent; \`coldseal rules explain ID\` shows the rule.`,
    { facts: { rule: ruleId, rounds: ROUNDS } },
  );

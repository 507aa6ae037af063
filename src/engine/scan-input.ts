/**
 * Inputs from bytes to findings: every rule over each text as it stands and over every view of it, key blocks, each hit
 * mapped to the input's own bytes. A hit of a rule on bytes it hit already is the same hit seen through another view.
 *
 * The texts of a batch go through the scanner together, and so do their views: most are small, and one look at many costs
 * less than many looks.
 */
import type { Span } from '../contract/finding.js';
import { MOST_FINDINGS_IN_TEXT } from '../contract/item-bounds.js';
import type { Rule } from '../contract/rule.js';
import type { ScanOutcome } from '../contract/scan.js';
import type { Candidates } from '../views/candidates.js';
import { findPemBlocks } from '../views/pem-blocks.js';
import { viewLimits } from '../views/view-limits.js';
import { type ViewText, walkViews } from '../views/walk-views.js';
import { mayEcho } from './echo-eligibility.js';
import { type FoundList, openFoundList } from './found-list.js';
import type { ProfileScanner } from './profile-scanner.js';
import { isOverfull } from './search-rule.js';

/** One text of a batch; `ref` is returned as it came. Read, not kept. */
export interface InputText {
  readonly ref: number;
  /** UTF-8; bytes outside it are read as Latin-1 as well. */
  readonly text: Uint8Array;
}

/** Bytes of views that are gathered before they are scanned together. */
const VIEWS_TOGETHER_BYTES = 256 * 1024;

/** An input while it is scanned. */
interface Work {
  readonly input: InputText;
  /** As it is looked at: without the kinds in marks. */
  readonly text: Uint8Array;
  readonly found: FoundList;
  /** The first look at its text. */
  readonly seen: Candidates;
  scannedBytes: number;
  refused: ScanOutcome | null;
}

/** A text with the way back to its input's bytes. */
interface Segment {
  readonly work: Work;
  readonly text: Uint8Array;
  readonly view: ViewText | null;
  /** Whether a frame line of a key block may stand in it. */
  readonly mayHoldFrame: boolean;
}

const NO_VIEWS: readonly string[] = [];

const note = (
  { work, text, view }: Segment,
  rule: Pick<Rule, 'id' | 'kind' | 'family' | 'severity'>,
  { start, end }: Span,
): void => {
  const span = view === null ? { start, end } : view.toItem(start, end);
  work.found.note(rule, span, view?.names ?? NO_VIEWS, {
    text,
    start,
    end,
    echo: mayEcho(rule.severity, text, start, end),
  });
};

const notePemBlocks = (segment: Segment): void => {
  if (!segment.mayHoldFrame) return;
  const { blocks, refused } = findPemBlocks(segment.text);
  for (const { kind, ruleId, start, end } of blocks) {
    note(segment, { id: ruleId, kind, family: 'secret', severity: 'block' }, { start, end });
  }
  if (refused !== null) {
    segment.work.refused ??= { ref: segment.work.input.ref, ok: false, bound: 'pem-lines', detail: refused };
  }
};

const refuseOverfull = ({ input: { ref, text } }: Work): ScanOutcome => ({
  ref,
  ok: false,
  bound: 'findings',
  detail: `more than ${MOST_FINDINGS_IN_TEXT} findings in its ${text.length} bytes, the most that are held of one text`,
});

const scanSegments = (profile: ProfileScanner, segments: readonly Segment[]): void => {
  const hits = profile.scanner.findHits(segments.map(({ text }) => text));
  segments.forEach((segment, index) => {
    const own = hits[index] ?? [];
    for (const hit of own) {
      const rule = profile.rules[hit.rule]?.rule;
      // What decoding did not touch was found in the outer text.
      const isKnown = segment.view?.decodes(hit.from, hit.to) === false;
      if (rule !== undefined && !isKnown) note(segment, rule, hit);
    }
    notePemBlocks(segment);
    if (isOverfull(own) || segment.work.found.isFull) segment.work.refused ??= refuseOverfull(segment.work);
    segment.work.scannedBytes += segment.text.length;
  });
};

/** Scans every view of the inputs, many together. */
const scanViews = (profile: ProfileScanner, works: readonly Work[], nowMs: () => number): void => {
  let waiting: Segment[] = [];
  let waitingBytes = 0;
  const scanWaiting = (): void => {
    scanSegments(profile, waiting);
    waiting = [];
    waitingBytes = 0;
  };
  for (const work of works) {
    if (work.refused !== null) continue;
    const { text } = work;
    const visit = (view: ViewText): void => {
      waiting.push({ work, text: view.bytes, view, mayHoldFrame: view.mayHoldFrame });
      waitingBytes += view.bytes.length;
      if (waitingBytes >= VIEWS_TOGETHER_BYTES) scanWaiting();
    };
    const walked = walkViews(text, viewLimits(text.length, nowMs), visit, profile.findCandidates, work.seen);
    if (!walked.ok) work.refused ??= { ref: work.input.ref, ok: false, bound: walked.bound, detail: walked.detail };
  }
  scanWaiting();
};

const settle = ({ input, found, refused, scannedBytes }: Work): ScanOutcome =>
  refused ?? { ref: input.ref, ok: true, ...found.settle(input.text), scannedBytes };

/**
 * @param nowMs milliseconds from any fixed point, for the bound on the time spent on views
 * @returns one outcome an input, in their order
 */
export const scanInputs = (
  inputs: readonly InputText[],
  profile: ProfileScanner,
  nowMs: () => number,
): ScanOutcome[] => {
  const works = inputs.map((input): Work => {
    const text = profile.maskMarks(input.text);
    const seen = profile.findCandidates(text);
    return { input, text, found: openFoundList(), seen, scannedBytes: 0, refused: null };
  });
  scanSegments(
    profile,
    works.map((work) => ({ work, text: work.text, view: null, mayHoldFrame: work.seen.holdsDashes })),
  );
  scanViews(profile, works, nowMs);
  return works.map(settle);
};

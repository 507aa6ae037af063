/** Turns what a run tells into metrics. A plan counts too: its bundle was scanned and sealed, only the call is missing. */
import { isCode, isProviderFailure, isRefusal } from '../contract/codes.js';
import type { Observe } from '../contract/observer.js';
import { closedWord, LABEL_WORDS } from './metric-table.js';
import type { RunMetrics } from './metrics.js';

export function observeRun(run: RunMetrics): Observe {
  return (event) => {
    switch (event.kind) {
      case 'stage':
      case 'planned':
        return;
      case 'scanned':
        run.scannedBytes.inc(event.bytes);
        return;
      case 'omitted':
        run.omittedItems.inc({ reason: closedWord(LABEL_WORDS.reason, event.reason) }, event.count);
        return;
      case 'blanked':
        run.blankedSpans.inc({ family: closedWord(LABEL_WORDS.family, event.family) }, event.count);
        return;
      case 'sealed':
        run.bundleBytes.observe(event.bytes);
        run.bundleItems.observe(event.items);
        run.scanSeconds.observe(event.scanMs / 1000);
        return;
      case 'answered':
        countAnswer(run, event);
        return;
      case 'ended':
        countEnd(run, event.bundleKind, event.outcome, event.code);
        return;
      default:
        event satisfies never;
    }
  };
}

export interface AnswerFigures {
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export function countAnswer(run: RunMetrics, figures: AnswerFigures): void {
  run.providerSeconds.observe(figures.durationMs / 1000);
  if (figures.firstTokenMs !== null) run.firstTokenSeconds.observe(figures.firstTokenMs / 1000);
  if (figures.promptTokens !== null) run.tokens.inc({ direction: 'sent' }, figures.promptTokens);
  if (figures.completionTokens !== null) run.tokens.inc({ direction: 'received' }, figures.completionTokens);
}

/** @param code of a refusal or a provider's failure; any other is only seen in the outcome. */
export function countEnd(run: RunMetrics, kind: string | null, outcome: string, code: string | null): void {
  run.bundles.inc({
    kind: closedWord(LABEL_WORDS.kind, kind ?? 'none'),
    outcome: closedWord(LABEL_WORDS.outcome, outcome),
  });
  if (code === null || !isCode(code)) return;
  if (isProviderFailure(code)) run.providerFailures.inc({ code });
  // A rule may also end a run whose request had left: that one was not refused.
  else if (isRefusal(code) && outcome === 'refused') run.refusals.inc({ code });
}

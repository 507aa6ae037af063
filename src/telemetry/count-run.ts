/** What an answer and an end add to the figures of runs. */
import { isCode, isProviderFailure, isRefusal } from '../contract/codes.js';
import { closedWord, LABEL_WORDS } from './metric-table.js';
import type { RunMetrics } from './metrics.js';

interface AnswerFigures {
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

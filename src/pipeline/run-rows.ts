/** The rows a run writes: one before each connection, one at its end. */
import type { Code } from '../contract/codes.js';
import type { RowBody } from '../contract/record.js';
import type { Answer, Usage } from '../contract/transport.js';
import type { BundleRun } from './bundle-run.js';
import type { Prepared } from './prepare-send.js';
import { recordedBundle, recordedRoute } from './recorded-bundle.js';
import type { SendProgress } from './send-progress.js';

export type EndRow = Extract<RowBody, { readonly event: 'end' }>;

export const startRow = (run: BundleRun, prepared: Prepared, attempt: number): RowBody => ({
  event: 'start',
  attempt,
  verb: run.verb,
  route: recordedRoute(run.route, run.proxy),
  bundle: recordedBundle(prepared.description, prepared.approval),
  digests: { ...run.digests, bundle: prepared.description.digest, approval: prepared.approval },
  versions: run.versions,
  durations_ms: { scan: whole(prepared.figures.scanMs), seal: whole(prepared.figures.sealMs) },
  scanned_bytes: prepared.figures.scannedBytes,
});

/** `answer` is `null` when the run ended without one. */
export const endRow = (
  outcome: EndRow['outcome'],
  code: Code | null,
  answer: Answer | null,
  { attempts, request }: SendProgress,
  answerBytes: number | null,
): EndRow => ({
  event: 'end',
  outcome,
  ...(code === null ? {} : { code }),
  ...(outcome === 'sent' ? {} : { request }),
  attempts,
  durations_ms: answer === null ? {} : durations(answer),
  ...(answer === null || answer.modelReported === null ? {} : { model_reported: answer.modelReported }),
  ...(answer === null || answer.usage === null ? {} : { usage: recordedUsage(answer.usage) }),
  ...(answer?.ok === true ? { finish_reason: answer.finishReason } : {}),
  ...(answer === null || answer.generationId === null ? {} : { generation_id: answer.generationId }),
  ...(answerBytes === null ? {} : { answer_bytes: answerBytes }),
});

const durations = (answer: Answer): Readonly<Record<string, number>> => ({
  provider: whole(answer.durationMs),
  ...(answer.ok && answer.firstTokenMs !== null ? { first_token: whole(answer.firstTokenMs) } : {}),
});

/** Under the names the providers use. */
export const recordedUsage = ({ promptTokens, completionTokens }: Usage): Readonly<Record<string, number>> => ({
  ...(promptTokens === null ? {} : { prompt_tokens: promptTokens }),
  ...(completionTokens === null ? {} : { completion_tokens: completionTokens }),
});

const whole = (milliseconds: number): number => Math.round(milliseconds);

/** The one end of a gate call: its end row, which says what is known of the request and of the answer. */
import { type Code, isProviderFailure } from '../../contract/codes.js';
import type { RecordStore } from '../../contract/record.js';
import type { Answer } from '../../contract/transport.js';
import { endRow } from '../../pipeline/run-rows.js';
import { judgeUnanswered, type SendProgress } from '../../pipeline/send-progress.js';
import type { AnswerTap } from './answer-tap.js';

export interface GateEnding {
  readonly id: string;
  readonly records: RecordStore;
  readonly say: (line: string) => void;
  readonly proxy: string | null;
  readonly progress: SendProgress;
  readonly signal: AbortSignal;
  readonly monotonicMs: () => number;
  readonly startMs: number;
}

export type CallEnd =
  | { readonly kind: 'whole' }
  /** An answer of an error status was passed on. */
  | { readonly kind: 'status' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface SeenAnswer {
  readonly tap: AnswerTap | null;
  readonly firstByteMs: number | null;
  readonly generationId: string | null;
}

/** Writes the end row and resolves when it is on disk, or when it was said that it could not be. */
export const endCall = async (ending: GateEnding, end: CallEnd, seen: SeenAnswer): Promise<void> => {
  const { id, records, say, progress } = ending;
  const { outcome, code } = judge(ending, end);
  const answer = answerOf(ending, code, seen);
  try {
    await records.append(id, endRow(outcome, code, answer, progress, seen.tap?.bytes ?? null));
  } catch (failure) {
    say(
      `coldseal: the end of ${id} could not be recorded: ${failure instanceof Error ? failure.message : 'unknown fault'}`,
    );
  }
};

const judge = (
  { signal, progress }: GateEnding,
  end: CallEnd,
): { readonly outcome: 'sent' | 'refused' | 'provider_failed'; readonly code: Code | null } => {
  switch (end.kind) {
    case 'whole':
      return { outcome: 'sent', code: null };
    case 'status':
      return { outcome: 'provider_failed', code: 'PROVIDER_STATUS' };
    case 'failed': {
      const { outcome, code } = judgeUnanswered(end.error, signal, progress);
      // What the provider failed with is no refusal, whatever had left.
      return { outcome: isProviderFailure(code) ? 'provider_failed' : outcome, code };
    }
    default:
      return end satisfies never;
  }
};

const answerOf = (ending: GateEnding, code: Code | null, { tap, firstByteMs, generationId }: SeenAnswer): Answer => {
  const shared = {
    modelReported: tap?.model() ?? null,
    usage: tap?.usage() ?? null,
    generationId,
    proxy: ending.proxy,
    attempts: ending.progress.attempts,
    durationMs: ending.monotonicMs() - ending.startMs,
  };
  if (code === null) return { ...shared, ok: true, text: '', finishReason: null, notes: [], firstTokenMs: firstByteMs };
  const failure = isProviderFailure(code) ? code : 'PROVIDER_CUT_OFF';
  return { ...shared, ok: false, code: failure, message: '', facts: {}, neverConnected: false };
};

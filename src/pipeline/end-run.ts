/** How a call ends: one end row that says what is known of the request, and the result for whoever asked. */
import type { SealedBundle } from '../contract/bundle.js';
import { isProviderFailure } from '../contract/codes.js';
import type { ColdsealError } from '../contract/error.js';
import type { Answer } from '../contract/transport.js';
import type { BundleRun, RunPorts } from './bundle-run.js';
import type { Prepared } from './prepare-send.js';
import type { RunResult, WholeAnswer } from './run-result.js';
import { type EndRow, endRow } from './run-rows.js';
import { codedOr, judgeUnanswered, type SendProgress, stoppedLine, unkept } from './send-progress.js';

/** A run whose call was begun. */
export interface SentRun {
  readonly run: BundleRun;
  readonly ports: RunPorts;
  readonly prepared: Prepared;
  readonly progress: SendProgress;
}

export const endAnswered = async (sent: SentRun, bundle: SealedBundle, answer: WholeAnswer): Promise<RunResult> => {
  const { run, ports, prepared, progress } = sent;
  const { id, route } = run;
  ports.observe({ kind: 'stage', stage: 'answer' });
  progress.request = 'answered';
  try {
    const kept = await run.keepAnswer(answer, bundle);
    await close(sent, endRow('sent', null, answer, progress, kept.bytes));
    return { outcome: 'sent', id, route, bundle: prepared, answer, kept };
  } catch (error) {
    const { code, message, facts } = isProviderFailure(codedOr(error).code) ? codedOr(error) : unkept(error);
    await close(sent, endRow('provider_failed', code, answer, progress, null));
    return { outcome: 'provider_failed', id, route, code, message, facts, bundle: prepared, answer };
  }
};

export const endFailed = async (sent: SentRun, answer: Extract<Answer, { readonly ok: false }>): Promise<RunResult> => {
  const { run, prepared: bundle, progress } = sent;
  const { id, route } = run;
  const { code, message, facts } = answer;
  if (run.mayFallBack && answer.neverConnected && code === 'PROVIDER_UNREACHABLE') {
    await close(sent, endRow('host', code, answer, progress, null));
    return { outcome: 'host', id, route, bundle, code, message };
  }
  await close(sent, endRow('provider_failed', code, answer, progress, null));
  return { outcome: 'provider_failed', id, route, code, message, facts, bundle, answer };
};

/** The call ended without an answer: stopped before a connection, by its caller, or by a fault of ours. */
export const endUnanswered = async (
  sent: SentRun,
  error: unknown,
  refuse: (error: ColdsealError) => Promise<RunResult>,
): Promise<RunResult> => {
  const { run, prepared: bundle, progress } = sent;
  const { id, route } = run;
  const { outcome, code, told, reason } = judgeUnanswered(error, run.assembly.signal, progress);
  if (progress.attempts === 0) {
    if (told === null) throw reason;
    return refuse(told);
  }
  await close(sent, endRow(outcome, code, null, progress, null));
  if (told === null) {
    if (outcome === 'provider_failed') run.say(stoppedLine(id, progress));
    throw reason;
  }
  if (outcome === 'refused') return { outcome, id, route, code, error: told, bundle, isRecorded: true };
  const { message, facts } = told;
  return { outcome, id, route, code, message, facts, bundle, answer: null };
};

/** The run is over either way; a start row without an end row reads as `unknown`, and the person is told why. */
const close = async ({ run, ports }: SentRun, row: EndRow): Promise<void> => {
  try {
    await ports.records.append(run.id, row);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : 'unknown fault';
    run.say(`coldseal: the end of ${run.id} could not be recorded: ${why}`);
  }
};

/**
 * From the count line to the end row. The start row is on disk before each connection and the machine file is read again
 * between the row and the socket; whatever happens after the first start row, one end row follows.
 */
import type { SealedBundle } from '../contract/bundle.js';
import { isProviderFailure, isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { Answer } from '../contract/transport.js';
import type { BundleRun, RunPorts } from './bundle-run.js';
import { countLine } from './count-line.js';
import type { Prepared } from './prepare-send.js';
import type { RunResult, WholeAnswer } from './run-result.js';
import { type EndRow, endRow, startRow } from './run-rows.js';

/** `refuse` is for what goes wrong before any start row. */
export const sendPrepared = async (
  run: BundleRun,
  ports: RunPorts,
  prepared: Prepared,
  bundle: SealedBundle,
  refuse: (error: ColdsealError) => Promise<RunResult>,
): Promise<RunResult> => {
  const { signal } = run.assembly;
  let attempts = 0;
  let answer: Answer;
  try {
    signal.throwIfAborted();
    await run.prepareAnswer(bundle);
    run.say(countLine(bundle, run.route.provider, run.proxy));
    ports.observe({ kind: 'stage', stage: 'send' });
    answer = await ports.transport.send({
      provider: run.route.provider,
      model: run.route.model,
      brief: { kind: 'sealed', bundle },
      settings: run.settings,
      credential: run.credential,
      denylist: run.denylist,
      beforeConnect: async (attempt) => {
        await ports.records.append(run.id, startRow(run, prepared, attempt));
        attempts += 1;
        await run.confirmConsent();
      },
      signal,
    });
    if (!answer.ok) signal.throwIfAborted();
  } catch (error) {
    return endUnanswered(run, ports, prepared, error, attempts, refuse);
  }
  tellAnswered(ports, answer);
  return answer.ok
    ? endAnswered(run, ports, prepared, bundle, answer, attempts)
    : endFailed(run, ports, prepared, answer, attempts);
};

const endAnswered = async (
  run: BundleRun,
  ports: RunPorts,
  prepared: Prepared,
  bundle: SealedBundle,
  answer: WholeAnswer,
  attempts: number,
): Promise<RunResult> => {
  const { id, route } = run;
  ports.observe({ kind: 'stage', stage: 'answer' });
  try {
    const kept = await run.keepAnswer(answer, bundle);
    await close(run, ports, endRow('sent', null, answer, attempts, kept.bytes));
    return { outcome: 'sent', id, route, bundle: prepared, answer, kept };
  } catch (error) {
    const { code, message, facts } = codedOr(error);
    if (isProviderFailure(code)) {
      await close(run, ports, endRow('provider_failed', code, answer, attempts, null));
      return { outcome: 'provider_failed', id, route, code, message, facts, bundle: prepared, answer };
    }
    await close(run, ports, endRow('refused', code, answer, attempts, null));
    if (!isRefusal(code)) throw error;
    const refusal = new ColdsealError(code, message, { cause: error, facts });
    return { outcome: 'refused', id, route, code, error: refusal, bundle: prepared, isRecorded: true };
  }
};

const endFailed = async (
  run: BundleRun,
  ports: RunPorts,
  bundle: Prepared,
  answer: Extract<Answer, { readonly ok: false }>,
  attempts: number,
): Promise<RunResult> => {
  const { id, route } = run;
  const { code, message, facts } = answer;
  if (run.mayFallBack && answer.neverConnected && code === 'PROVIDER_UNREACHABLE') {
    await close(run, ports, endRow('host', code, answer, attempts, null));
    return { outcome: 'host', id, route, bundle, code, message };
  }
  await close(run, ports, endRow('provider_failed', code, answer, attempts, null));
  return { outcome: 'provider_failed', id, route, code, message, facts, bundle, answer };
};

/** The call ended without an answer: stopped before a connection, by its caller, or by a fault of ours. */
const endUnanswered = async (
  run: BundleRun,
  ports: RunPorts,
  prepared: Prepared,
  error: unknown,
  attempts: number,
  refuse: (error: ColdsealError) => Promise<RunResult>,
): Promise<RunResult> => {
  const { id, route } = run;
  const isStopped = run.assembly.signal.aborted;
  const reason = isStopped ? run.assembly.signal.reason : error;
  const isRefused = reason instanceof ColdsealError && isRefusal(reason.code);
  if (attempts === 0) {
    if (isRefused) return refuse(reason);
    throw reason;
  }
  const code = isRefused ? reason.code : isStopped ? 'CANCELLED' : codedOr(reason).code;
  await close(run, ports, endRow('refused', code, null, attempts, null));
  if (isRefused) return { outcome: 'refused', id, route, code, error: reason, bundle: prepared, isRecorded: true };
  throw reason;
};

/** The run is over either way; a start row without an end row reads as `unknown`, and the person is told why. */
const close = async (run: BundleRun, { records }: RunPorts, row: EndRow): Promise<void> => {
  try {
    await records.append(run.id, row);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : 'unknown fault';
    run.say(`coldseal: the end of ${run.id} could not be recorded: ${why}`);
  }
};

const codedOr = (error: unknown): ColdsealError =>
  error instanceof ColdsealError
    ? error
    : new ColdsealError('INTERNAL', 'the run failed for a reason without a code', { cause: error });

const tellAnswered = ({ observe }: RunPorts, answer: Answer): void =>
  observe({
    kind: 'answered',
    durationMs: answer.durationMs,
    firstTokenMs: answer.ok ? answer.firstTokenMs : null,
    promptTokens: answer.usage?.promptTokens ?? null,
    completionTokens: answer.usage?.completionTokens ?? null,
  });

/**
 * From the count line to the call's end. The start row is on disk before each connection and the machine file is read
 * again between the row and the socket; whatever happens after the first start row, one end row follows.
 */
import type { SealedBundle } from '../contract/bundle.js';
import type { ColdsealError } from '../contract/error.js';
import type { Answer } from '../contract/transport.js';
import type { BundleRun, RunPorts } from './bundle-run.js';
import { countLine } from './count-line.js';
import { endAnswered, endFailed, endUnanswered, type SentRun } from './end-run.js';
import type { Prepared } from './prepare-send.js';
import type { RunResult } from './run-result.js';
import { startRow } from './run-rows.js';
import { noteSent, nothingSent } from './send-progress.js';

/** `refuse` is for what goes wrong before any start row. */
export const sendPrepared = async (
  run: BundleRun,
  ports: RunPorts,
  prepared: Prepared,
  bundle: SealedBundle,
  refuse: (error: ColdsealError) => Promise<RunResult>,
): Promise<RunResult> => {
  const { signal } = run.assembly;
  const sent: SentRun = { run, ports, prepared, progress: nothingSent() };
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
        sent.progress.attempts += 1;
        await run.confirmConsent();
      },
      ...(run.beforeBody === undefined ? {} : { beforeBody: run.beforeBody }),
      onSent: (how) => noteSent(sent.progress, how),
      signal,
    });
    if (!answer.ok) signal.throwIfAborted();
  } catch (error) {
    return endUnanswered(sent, error, refuse);
  }
  tellAnswered(ports, answer);
  return answer.ok ? endAnswered(sent, bundle, answer) : endFailed(sent, answer);
};

const tellAnswered = ({ observe }: RunPorts, answer: Answer): void =>
  observe({
    kind: 'answered',
    durationMs: answer.durationMs,
    firstTokenMs: answer.ok ? answer.firstTokenMs : null,
    promptTokens: answer.usage?.promptTokens ?? null,
    completionTokens: answer.usage?.completionTokens ?? null,
  });

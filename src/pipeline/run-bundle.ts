/**
 * One run: prepare, send, record. Ports and values only; `send-prepared.ts` has the part after the bundle is sealed.
 */
import type { SealedBundle } from '../contract/bundle.js';
import { isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { BundleRun, RunPorts } from './bundle-run.js';
import { type DescribedBundle, type Preparation, type Prepared, prepareSend } from './prepare-send.js';
import { recordRefusal } from './record-refusal.js';
import { recordedRoute } from './recorded-bundle.js';
import type { RunResult } from './run-result.js';
import { sendPrepared } from './send-prepared.js';

/** Everything but the call; nothing is written. The assembly's limit should be a multiple of the cap. */
export const planBundle = async (plan: Preparation & Pick<BundleRun, 'id'>): Promise<RunResult> => {
  const { id, route } = plan;
  try {
    const prepared = await prepareSend(plan);
    const { bundle, refusal } = prepared;
    if (refusal === null) return { outcome: 'planned', id, route, bundle: prepared, sealed: sealedOf(bundle) };
    return { outcome: 'refused', id, route, code: refusal.code, error: refusal, bundle: prepared, isRecorded: false };
  } catch (error) {
    const refusal = refusalIn(error);
    return { outcome: 'refused', id, route, code: refusal.code, error: refusal, bundle: null, isRecorded: false };
  }
};

/**
 * Every refusal and provider failure is a result, and recorded. Rejects only with the signal's reason or a fault of ours.
 */
export const runBundle = async (run: BundleRun, ports: RunPorts): Promise<RunResult> => {
  const result = await prepareAndSend(run, ports);
  const code = 'code' in result ? result.code : null;
  ports.observe({ kind: 'ended', bundleKind: run.assembly.plan.kind, outcome: result.outcome, code });
  return result;
};

const prepareAndSend = async (run: BundleRun, ports: RunPorts): Promise<RunResult> => {
  let prepared: Prepared;
  try {
    prepared = await prepareSend(run);
  } catch (error) {
    return refuse(run, ports, refusalIn(error), null);
  }
  return prepared.refusal === null
    ? sendPrepared(run, ports, prepared, sealedOf(prepared.bundle), (error) => refuse(run, ports, error, prepared))
    : refuse(run, ports, prepared.refusal, prepared);
};

const sealedOf = (bundle: SealedBundle | null): SealedBundle => {
  if (bundle !== null) return bundle;
  throw new ColdsealError('INTERNAL', 'a bundle was neither sealed nor refused');
};

/** What is no refusal is a fault of ours or the signal's reason, and goes on up. */
const refusalIn = (error: unknown): ColdsealError => {
  if (error instanceof ColdsealError && isRefusal(error.code)) return error;
  throw error;
};

const refuse = async (
  run: BundleRun,
  { records }: RunPorts,
  error: ColdsealError,
  bundle: DescribedBundle | null,
): Promise<RunResult> => {
  const { id, verb, route, assembly } = run;
  const { plan, project } = assembly;
  const row = { id, verb, error, route: recordedRoute(route, run.proxy), kind: plan.kind, project };
  const isRecorded = await recordRefusal(records, row, run.say);
  return { outcome: 'refused', id, route, code: error.code, error, bundle, isRecorded };
};

/**
 * The order in which a plan becomes a bundle, and nothing else: scan all, unite the values, look for their echoes, settle
 * (number, blank, frame, scan again), weigh, seal. Everything that sends, plans or serves goes through here.
 *
 * Threads end in any order and nothing below depends on it: what was heard is read in list order, so the same commit,
 * list, rules and identity give the same bytes for any number of threads.
 */
import { setImmediate } from 'node:timers/promises';
import type { BundleText } from '../bundle/bundle-text.js';
import { clipExempt } from '../bundle/clip-exempt.js';
import { messageDigest, seal } from '../bundle/seal.js';
import type { BlankedBytes } from '../contract/bundle.js';
import type { SecretValue } from '../contract/scan.js';
import type { AssembledBundle, AssemblyRequest } from './assembly-request.js';
import { describeSettled } from './describe-settled.js';
import { echoValues } from './echo-values.js';
import { fullestItem } from './fullest-item.js';
import { refuseSealed } from './judge-cap.js';
import { spansHeard, withSpans } from './known-spans.js';
import { createKnownValues, type KnownValues } from './known-values.js';
import { rescanBundle } from './rescan-bundle.js';
import { type ScannedItems, scanItems, windowBounds } from './scan-items.js';
import { settleBundle } from './settle-bundle.js';
import { tellPlanned, tellSealed } from './tell-observer.js';
import { withoutSigns } from './without-signs.js';

/**
 * @throws ColdsealError with the code of whatever refuses: `OVER_CAP` (unless the limit lies over the cap and the bundle
 * between them), `SCAN_FAILED`, `FINDING_SURVIVES`, or what the source throws. The signal's reason once it is given.
 */
export const assembleBundle = async (request: AssemblyRequest): Promise<AssembledBundle> => {
  const { scanner, observe, monotonicMs } = request;
  const bounds = windowBounds(request);
  const begunMs = monotonicMs();
  tellPlanned(request);
  const scanned = await scanItems(request);
  const values = createKnownValues(request.knownValues);
  const echo = (texts: readonly BundleText[]): Promise<readonly BundleText[]> => {
    const told = values.takeNew(() => fullestItem(texts));
    return echoValues(texts, told, scanner, bounds);
  };
  const echoed = await echo(uniteValues(scanned, values));
  const scannedMs = monotonicMs();

  observe({ kind: 'stage', stage: 'seal' });
  let scannedBytes = scanned.scannedBytes;
  const settled = await settleBundle(request.plan, echoed, scanned.loaded, {
    rescan: async ({ framed, system }) => {
      const [again] = await Promise.all([
        rescanBundle(request, framed, system, values.idOf, bounds),
        digestMeanwhile(framed.message),
      ]);
      scannedBytes += again.scannedBytes;
      return again;
    },
    echo: (texts, survivors) => {
      values.tell(survivors);
      return echo(texts);
    },
  });

  const description = describeSettled(request, settled, scanned.loaded);
  const figures = { scannedBytes, scanMs: scannedMs - begunMs, sealMs: monotonicMs() - scannedMs };
  const refusal = refuseSealed(request, description, scanned.blankedBytes);
  if (refusal !== null && request.stopAtBytes <= request.cap.bytes) throw refusal;
  const system = settled.systemBytes;
  if (refusal !== null) return { kind: 'over-cap', description, system, refusal, figures };
  const bundle = seal(description, { message: settled.framed.message, system });
  tellSealed(request, settled, bundle, figures.scanMs);
  return { kind: 'sealed', bundle, figures };
};

/** Hashed while the threads look at the message, once they have been given it. */
const digestMeanwhile = async (message: BlankedBytes): Promise<void> => {
  await setImmediate();
  messageDigest(message);
};

/** Each text with its spans; values are met in list order, so ids and tellers are the same every time. */
const uniteValues = ({ texts, heard }: ScannedItems, values: KnownValues): readonly BundleText[] =>
  texts.map((text, index) => {
    const answer = heard[index];
    if (answer === undefined || answer.findings.length === 0) return text;
    const idOf = (value: SecretValue) => values.idOf(text.keepsSigns ? withoutSigns(value) : value);
    const spans = clipExempt(spansHeard(answer, idOf), text.exempt);
    values.tell(spans);
    return withSpans(text, spans);
  });

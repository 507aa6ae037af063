/** The JSON document of a sending verb: what a run's result says to a program. Member names are a contract. */
import { estimateTokens } from '../contract/bundle.js';
import type { BundleDocument, OutcomeDocument, RouteDocument } from '../contract/documents.js';
import type { Route } from '../contract/route.js';
import type { DescribedBundle } from './prepare-send.js';
import type { RunResult } from './run-result.js';
import { recordedUsage } from './run-rows.js';

/** `recordPath` is the file this run's rows went to; `null` when none were written. */
export const outcomeDocument = (result: RunResult, recordPath: string | null): OutcomeDocument => ({
  outcome: result.outcome,
  ...refusalOf(result),
  route: routeDocument(result.route, reportedModel(result)),
  ...(result.bundle === null ? {} : { bundle: bundleDocument(result.bundle) }),
  ...answerOf(result),
  ...(recordPath === null || !isRecorded(result) ? {} : { record: { id: result.id, path: recordPath } }),
});

export const routeDocument = (route: Route, modelReported: string | null = null): RouteDocument =>
  route.kind === 'host'
    ? { agent: route.agent, provider: null, model_asked: null, origin: route.origin, remote: false }
    : {
        agent: route.agent,
        provider: route.provider.name,
        model_asked: route.model,
        ...(modelReported === null ? {} : { model_reported: modelReported }),
        origin: route.origin,
        remote: route.provider.endpoint.remote,
        host: route.provider.endpoint.host,
      };

/** Without an approval for a bundle that goes nowhere (`pack`). */
export const bundleDocument = ({
  description: bundle,
  approval,
}: Pick<DescribedBundle, 'description'> & Partial<Pick<DescribedBundle, 'approval'>>): BundleDocument => ({
  kind: bundle.kind,
  list_origin: bundle.listOrigin,
  project: bundle.project,
  ...(bundle.range === null ? {} : { range: bundle.range }),
  items: bundle.items.map((item) => ({
    id: item.id,
    input: item.input,
    ...(item.path === null ? {} : { path: item.path }),
    ...(item.label === null ? {} : { label: item.label }),
    raw_bytes: item.rawBytes,
    bytes: item.bytes,
    ...(item.omitted === null ? {} : { omitted: item.omitted }),
    ...(item.lossy === 0 ? {} : { lossy: item.lossy }),
    ...(item.encoding === null ? {} : { encoding: item.encoding }),
  })),
  ...(bundle.deleted.length === 0 ? {} : { deleted: bundle.deleted }),
  bytes: bundle.bytes,
  raw_bytes: bundle.rawBytes,
  cap: bundle.cap.bytes,
  cap_origin: bundle.cap.origin,
  digest: bundle.digest,
  ...(approval === undefined ? {} : { approval }),
  tokens_est: estimateTokens(bundle.bytes),
  blanked: bundle.blanked,
  ...(bundle.unscannedAtAssembly === null ? {} : { unscanned_at_assembly: bundle.unscannedAtAssembly }),
  ...(bundle.scannedNow === null ? {} : { scanned_now: bundle.scannedNow }),
});

const refusalOf = (result: RunResult): Pick<OutcomeDocument, 'code' | 'message' | 'facts'> => {
  switch (result.outcome) {
    case 'refused':
      return { code: result.code, message: result.error.message, facts: result.error.facts };
    case 'provider_failed':
      return { code: result.code, message: result.message, facts: result.facts };
    case 'host':
      return { code: result.code, message: result.message };
    case 'planned':
    case 'sent':
      return {};
    default:
      return result satisfies never;
  }
};

const reportedModel = (result: RunResult): string | null =>
  'answer' in result ? (result.answer?.modelReported ?? null) : null;

const answerOf = (result: RunResult): Pick<OutcomeDocument, 'answer'> => {
  if (result.outcome !== 'sent') return {};
  const { answer, kept } = result;
  return {
    answer: {
      ...(kept.path === null ? {} : { path: kept.path }),
      bytes: kept.bytes,
      finish_reason: answer.finishReason,
      ...(answer.usage === null ? {} : { usage: recordedUsage(answer.usage) }),
    },
  };
};

const isRecorded = (result: RunResult): boolean =>
  result.outcome === 'refused' ? result.isRecorded : result.outcome !== 'planned';

/**
 * The bundle and the route as the record keeps them: sizes, digests, places and rules, no text. A name that held a
 * finding is not kept even in its blanked form.
 */
import type { BundleDescription } from '../bundle/describe-bundle.js';
import type { SealedItem } from '../contract/bundle.js';
import type { RecordedBundle, RecordedItem, RecordedRoute } from '../contract/record.js';
import type { Route } from '../contract/route.js';

const WITHHELD_NAME = '[withheld]';

export const recordedBundle = (bundle: BundleDescription, approval: string): RecordedBundle => ({
  kind: bundle.kind,
  list_origin: bundle.listOrigin,
  project: bundle.project,
  ...(bundle.range === null ? {} : { range: bundle.range }),
  items: bundle.items.map(recordedItem),
  ...(bundle.deleted.length === 0
    ? {}
    : { deleted: bundle.deleted.map((path, index) => (bundle.deletedBlanked.includes(index) ? WITHHELD_NAME : path)) }),
  bytes: bundle.bytes,
  raw_bytes: bundle.rawBytes,
  cap: bundle.cap.bytes,
  cap_origin: bundle.cap.origin,
  digest: bundle.digest,
  approval,
  blanked: bundle.blanked,
  ...(bundle.unscannedAtAssembly === null ? {} : { unscanned_at_assembly: bundle.unscannedAtAssembly }),
  ...(bundle.scannedNow === null ? {} : { scanned_now: bundle.scannedNow }),
});

const recordedItem = (item: SealedItem): RecordedItem => ({
  id: item.id,
  input: item.input,
  ...(item.path === null ? {} : { path: item.nameBlanked ? WITHHELD_NAME : item.path }),
  ...(item.label === null ? {} : { label: item.nameBlanked ? WITHHELD_NAME : item.label }),
  ...(item.objectId === null ? {} : { object: item.objectId }),
  raw_bytes: item.rawBytes,
  bytes: item.bytes,
  ...(item.omitted === null ? {} : { omitted: item.omitted }),
  ...(item.lossy === 0 ? {} : { lossy: item.lossy }),
  ...(item.encoding === null ? {} : { encoding: item.encoding }),
});

/** `proxy` is the one that will be used, without its credentials. */
export const recordedRoute = (route: Route, proxy: string | null): RecordedRoute =>
  route.kind === 'host'
    ? { agent: route.agent, provider: null, model_asked: null, origin: route.origin, remote: false }
    : {
        agent: route.agent,
        provider: route.provider.name,
        model_asked: route.model,
        origin: route.origin,
        remote: route.provider.endpoint.remote,
        host: route.provider.endpoint.host,
        ...(proxy === null ? {} : { proxy }),
        ...(route.provider.credential === null ? {} : { credential: route.provider.credential }),
      };

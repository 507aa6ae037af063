/**
 * Rows of a gate call, under a kind of its own. Items are the request's messages by role and place, its system text, its
 * tools and the rest; the digest is over the body as it was sent. No text, as in every row.
 */

import type { BundleText } from '../../bundle/bundle-text.js';
import { describeSpans } from '../../bundle/describe-bundle.js';
import { digestOf } from '../../bundle/seal.js';
import type { Cap } from '../../contract/bundle.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { RecordedBundle, RecordedRoute, RowBody } from '../../contract/record.js';
import type { ProviderSettings } from '../../contract/route.js';
import { VERSION } from '../../contract/version.js';
import type { GateItem } from '../../gate/gate-request.js';
import { recordedRoute } from '../../pipeline/recorded-bundle.js';
import { itemId } from './gate-texts.js';

export const GATE = 'gate';

export const gateRoute = (provider: ProviderSettings, model: string, proxy: string | null): RecordedRoute =>
  recordedRoute({ kind: 'provider', agent: GATE, origin: 'machine', provider, model }, proxy);

export interface GateBundle {
  readonly provider: ProviderSettings;
  readonly model: string;
  readonly path: string;
  readonly cap: Cap;
  /** As the client sent them, and as they leave. */
  readonly rawItems: readonly GateItem[];
  readonly items: readonly GateItem[];
  /** Items with a part that was admitted unscanned. */
  readonly opaqueItems: ReadonlySet<number>;
  readonly texts: readonly BundleText[];
  readonly rawBytes: number;
  readonly body: Uint8Array;
}

export const recordedGateBundle = (bundle: GateBundle): RecordedBundle => {
  const { provider, model, path, cap, body, rawBytes, rawItems, opaqueItems } = bundle;
  const digest = digestOf(body);
  const destination = {
    provider: provider.name,
    base_url: provider.endpoint.baseUrl,
    path,
    resolve: provider.resolve,
    ca_file: provider.caFile,
    credential: provider.credential,
  };
  const approval = digestOf(
    Buffer.from(canonicalJson({ v: 1, kind: GATE, destination, model, cap: cap.bytes, digest })),
  );
  return {
    kind: GATE,
    list_origin: 'compiled',
    project: null,
    items: bundle.items.map(({ input, label, bytes }, index) => ({
      id: itemId(index),
      input,
      label: opaqueItems.has(index) ? `${label}, not scanned` : label,
      raw_bytes: rawItems[index]?.bytes ?? 0,
      bytes,
    })),
    bytes: body.length,
    raw_bytes: rawBytes,
    cap: cap.bytes,
    cap_origin: cap.origin,
    digest,
    approval,
    blanked: describeSpans(bundle.texts),
  };
};

export interface GateFigures {
  readonly scannedBytes: number;
  readonly scanMs: number;
}

export const gateStartRow = (
  route: RecordedRoute,
  bundle: RecordedBundle,
  rules: string,
  { scannedBytes, scanMs }: GateFigures,
): RowBody => ({
  event: 'start',
  attempt: 1,
  verb: GATE,
  route,
  bundle,
  digests: { rules, bundle: bundle.digest, approval: bundle.approval },
  versions: { coldseal: VERSION, node: process.versions.node },
  durations_ms: { scan: Math.round(scanMs) },
  scanned_bytes: scannedBytes,
});

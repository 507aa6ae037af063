/**
 * The approval: one digest over everything that decides a send. `--plan` prints it, `--expect` compares it.
 *
 * It is taken over canonical JSON (names sorted, no blanks), so it can be computed again from the plan by anybody. Time
 * limits and the cap's origin decide nothing that leaves and are not in it.
 */
import type { SealedBundle } from '../contract/bundle.js';
import { canonicalJson } from '../contract/canonical-json.js';
import type { ProviderSettings } from '../contract/route.js';
import type { BundleDescription } from './describe-bundle.js';
import { digestOf } from './seal.js';

export interface Approved {
  readonly provider: Pick<
    ProviderSettings,
    'name' | 'endpoint' | 'credential' | 'resolve' | 'caFile' | 'usageChunk' | 'spawn'
  >;
  readonly model: string;
  /** Model settings as they will be sent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The system message as it will be sent. */
  readonly system: SealedBundle['system'];
  readonly bundle: BundleDescription;
}

export const approvalDigest = ({ provider, model, settings, system, bundle }: Approved): string =>
  digestOf(
    Buffer.from(
      canonicalJson({
        v: 1,
        destination: {
          provider: provider.name,
          base_url: provider.endpoint.baseUrl,
          resolve: provider.resolve,
          ca_file: provider.caFile,
          credential: provider.credential,
          usage_chunk: provider.usageChunk,
          spawn: provider.spawn,
        },
        model,
        settings,
        system: digestOf(system),
        list: {
          kind: bundle.kind,
          origin: bundle.listOrigin,
          project: bundle.project,
          range: bundle.range,
          items: bundle.items.map(({ id, input, path, label }) => [id, input, path ?? label]),
        },
        cap: bundle.cap.bytes,
        bundle: bundle.digest,
      }),
    ),
  );

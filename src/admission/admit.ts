/**
 * Admission of a remote send (product.md section 4, rules 1 to 3), asked before anything is written and again just
 * before the socket opens. A provider on this machine and the host are outside these rules; an agent without a kind is
 * refused everywhere.
 */
import { ColdsealError } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import type { Route } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';
import { requireModel } from './judge-model.js';
import { HOST_DECIDES } from './parse-typed-route.js';
import { refuseRepositorySettings } from './refuse-repository-settings.js';
import { kindsOf, readsFiles, requireKind } from './require-kind.js';

export interface AdmissionRequest {
  readonly route: Route;
  readonly kind: KindName;
  readonly settings: Settings;
}

/**
 * Throws `NO_KIND`, `SETTING_REFUSED`, `NOT_BUNDLED_CONTEXT`, `MODEL_DENIED` or `MODEL_NOT_LISTED`; returns when the send
 * may be prepared.
 */
export function admit({ route, kind, settings }: AdmissionRequest): void {
  const agent = requireKind(route.agent);
  if (!kindsOf(agent).includes(kind)) {
    throw new ColdsealError('NO_KIND', `The agent ${agent} has no kind ${kind}; it has ${kindsOf(agent).join(', ')}.`, {
      facts: { agent, kind },
    });
  }
  if (route.kind === 'host' || !route.provider.endpoint.remote) return;
  refuseRepositorySettings(route, settings);
  if (readsFiles(agent)) requireOverride(agent, route.provider.name, settings);
  requireModel(route.provider, route.model, settings);
}

function requireOverride(agent: string, provider: string, settings: Settings): void {
  if (settings.bundledContextProviders.has(provider)) return;
  throw new ColdsealError(
    'NOT_BUNDLED_CONTEXT',
    `${agent} reads files, and the remote provider ${provider} is not named in oracle.bundled_context_providers (rule DR5: a file-reading helper goes to a remote provider only where the owner says so). Add "${provider}" to oracle.bundled_context_providers in ${printable(settings.machineFile)}, or type --route ${agent}=${HOST_DECIDES}.`,
    { facts: { rule: 'DR5', agent, provider, key: 'oracle.bundled_context_providers', file: settings.machineFile } },
  );
}

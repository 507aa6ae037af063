/**
 * Settings that a repository attaches to an agent (`.abcd/config/oracle-routing.json`) do not travel to a remote provider
 * that nobody typed. Asked once the route is known, so that a refusal can say where the work would have gone.
 */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { Route } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';

/** There are about ten settings; a checkout must not fill the message and the record row with names of its own. */
const MOST_SHOWN_SETTINGS = 16;
const LONGEST_SHOWN_SETTING = 64;

/** Throws `SETTING_REFUSED` naming each setting and where to move it. */
export function refuseRepositorySettings(route: Route & { readonly kind: 'provider' }, settings: Settings): void {
  if (!route.provider.endpoint.remote || route.origin === 'flag') return;
  const rows = settings.repositoryAgentSettings.filter((row) => row.agent === route.agent);
  const all = rows.flatMap((row) => Object.keys(row.settings));
  if (all.length === 0) return;
  const names = all.slice(0, MOST_SHOWN_SETTINGS).map((name) => printable(name.slice(0, LONGEST_SHOWN_SETTING)));
  const place = `coldseal.providers.${route.provider.name}.settings`;
  const more = all.length > names.length ? ` and ${all.length - names.length} more` : '';
  const moves = names.map((name) => `${name} (move it to ${place}.${name})`).join(', ') + more;
  throw new ColdsealError(
    'SETTING_REFUSED',
    `.abcd/config/oracle-routing.json sets ${moves} for ${route.agent}, which goes to the remote provider ${route.provider.name}. A repository may not; set them in ${printable(settings.machineFile)}, or type --route ${route.agent}=${route.provider.name}/${route.model}.`,
    { facts: { agent: route.agent, provider: route.provider.name, settings: names.join(' ') } },
  );
}

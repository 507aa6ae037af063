/**
 * Which way an agent's work goes: what the person typed, else a repository's route to a keyless provider on this machine,
 * else the machine file's, else none (the host decides).
 *
 * A fault in what the person typed or the owner wrote refuses. A fault in a repository's route is one line and the next
 * layer: a checkout must neither choose where things go nor stop the owner's runs. That includes a denied model. A
 * provider that is not configured here is skipped only where the owner routes the agent: without a route of the owner's
 * to take its place, handing the work to the host instead would be a quiet fall-back.
 */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { PROVIDER_NAME, type ProviderSettings, type Route, type RouteOrigin } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';
import { modelFault, requireModel } from './judge-model.js';
import { HOST_DECIDES, splitRoute, typedTarget } from './parse-typed-route.js';
import { requireKind } from './require-kind.js';

export interface RouteRequest {
  /** The agent that the verb dispatches. */
  readonly agent: string;
  /** Every `--route` as typed: `AGENT=PROVIDER/MODEL` or `AGENT=host-decides`. */
  readonly typed: readonly string[];
  readonly settings: Settings;
}

export interface ChosenRoute {
  readonly route: Route;
  /** Lines for stderr: repository routes that were skipped, and why. */
  readonly notices: readonly string[];
}

/** Throws `NO_KIND`, `USAGE`, `PROVIDER_UNKNOWN`, `MODEL_NOT_LISTED`, `MODEL_DENIED`. */
export function chooseRoute({ agent, typed, settings }: RouteRequest): ChosenRoute {
  const target = typedTarget(requireKind(agent), typed);
  if (target?.kind === 'host') return { route: { kind: 'host', agent, origin: 'flag' }, notices: [] };
  if (target?.kind === 'provider') {
    return { route: providerRoute(agent, 'flag', target.provider, target.model, settings), notices: [] };
  }
  const fromRepository = repositoryRoute(agent, settings);
  if (fromRepository.route !== null) return { route: fromRepository.route, notices: fromRepository.notices };
  const role = settings.roles.get(agent);
  if (role === undefined) return { route: { kind: 'host', agent, origin: 'none' }, notices: fromRepository.notices };
  const route = providerRoute(agent, 'machine', role.provider, role.model, settings);
  return { route, notices: fromRepository.notices };
}

function providerRoute(
  agent: string,
  origin: RouteOrigin,
  name: string,
  model: string,
  settings: Settings,
): Route & { readonly kind: 'provider' } {
  const provider = settings.providers.get(name);
  if (provider === undefined) throw unknownProvider(name, settings);
  requireModel(provider, model, settings);
  return { kind: 'provider', agent, origin, provider, model };
}

function unknownProvider(name: string, settings: Settings): ColdsealError {
  const known = [...settings.providers.keys()];
  const there = known.length === 0 ? 'it configures none' : `it configures ${known.join(', ')}`;
  return new ColdsealError(
    'PROVIDER_UNKNOWN',
    `The provider ${printable(name)} is not configured under oracle.api in ${printable(settings.machineFile)}; ${there}.`,
    { facts: { provider: printable(name) } },
  );
}

function repositoryRoute(
  agent: string,
  settings: Settings,
): { readonly route: Route | null; readonly notices: readonly string[] } {
  const role = settings.repositoryRoles.find((one) => one.agent === agent);
  if (role === undefined) return { route: null, notices: [] };
  const split = splitRoute(role.text);
  const provider = split === null ? undefined : settings.providers.get(split.provider);
  const fault = repositoryFault(split, provider, settings);
  if (fault === null && split !== null && provider !== undefined) {
    return { route: { kind: 'provider', agent, origin: 'repository', provider, model: split.model }, notices: [] };
  }
  if (split !== null && provider === undefined && PROVIDER_NAME.test(split.provider) && !settings.roles.has(agent)) {
    throw unroutable(agent, role.text, split.provider, settings);
  }
  return { route: null, notices: [skippedLine(agent, role.text, fault ?? 'is malformed', settings)] };
}

function unroutable(agent: string, text: string, provider: string, settings: Settings): ColdsealError {
  return new ColdsealError(
    'PROVIDER_UNKNOWN',
    `${repositoryFile(settings)}: the route ${agent}=${shownRoute(text)} names a provider that is not configured here, and ${printable(settings.machineFile)} does not route ${agent}. Configure ${provider} or route ${agent} there, or type --route ${agent}=${HOST_DECIDES}.`,
    { facts: { agent, provider } },
  );
}

/** Why a repository's route may not be taken, or `null`. */
function repositoryFault(
  split: { readonly model: string } | null,
  provider: ProviderSettings | undefined,
  settings: Settings,
): string | null {
  if (split === null) return 'is not "<provider>/<model>"';
  if (provider === undefined) return 'names a provider that is not configured here';
  if (provider.endpoint.remote) return 'names a remote provider';
  if (provider.spawn !== null) return 'names a program';
  if (provider.credential !== null) return 'names a provider with a key';
  const fault = modelFault(provider, split.model, settings.denylist);
  if (fault === null) return null;
  return fault.kind === 'denied' ? 'names a denied model' : 'names a model that the provider’s list has not';
}

function skippedLine(agent: string, text: string, fault: string, settings: Settings): string {
  const machineRole = settings.roles.get(agent);
  const instead =
    machineRole === undefined
      ? 'no route of the machine file applies'
      : `the machine file's ${machineRole.provider}/${machineRole.model} applies`;
  return `${repositoryFile(settings)}: the route ${agent}=${shownRoute(text)} ${fault} and is skipped; ${instead} (routes that leave this machine are set in ${printable(settings.machineFile)})`;
}

const shownRoute = (text: string): string => printable(text.length > 200 ? `${text.slice(0, 200)}…` : text);

const repositoryFile = (settings: Settings): string => printable(settings.repositoryFile ?? '.abcd/config.json');

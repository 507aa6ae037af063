/**
 * Where a gate call may go: a provider that the owner named for the gate, as the machine file has it now and still has it
 * when the socket opens. A provider on this machine is no exception: whoever points a client at the gate expects what it
 * sends to be blanked and recorded, and a local server may pass it on.
 */
import { isDeepStrictEqual } from 'node:util';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import type { ProviderSettings } from '../../contract/route.js';
import type { Settings } from '../../contract/settings.js';
import type { Line } from '../../dispatch/open-line.js';
import { isLoopback } from '../../dispatch/open-socket.js';
import { namedProvider } from '../consent.js';

/** `PROVIDER_UNKNOWN` for one that is not configured or not named for the gate; `NO_ROUTE` for a program. */
export const gateProvider = (name: string, settings: Settings): ProviderSettings => {
  const provider = namedProvider(name, settings);
  if (!settings.own.gate.providers.has(name)) {
    throw new ColdsealError(
      'PROVIDER_UNKNOWN',
      `The gate is off for ${name}; name it in coldseal.gate.providers of ${printable(settings.machineFile)}.`,
      { facts: { provider: name, key: 'coldseal.gate.providers' } },
    );
  }
  if (provider.spawn === null) return provider;
  throw new ColdsealError('NO_ROUTE', `${name} is a program, and the gate speaks HTTP; name another provider.`, {
    facts: { provider: name },
  });
};

/** Everything of the settings that decides where a call goes and what of it may leave. */
const decided = (provider: ProviderSettings, { own, bundles, denylist }: Settings) => {
  const { totalTimeoutMs: _time, usageChunk: _chunk, settings: _settings, ...block } = provider;
  return {
    'provider block': { ...block, source: own.credentials.get(provider.credential ?? '') ?? null },
    gate: own.gate,
    cap: bundles.capBytes,
    denylist: denylist.map(({ entry }) => entry),
    'scanner settings': [own.families, own.allow, own.rulesFolder, own.private, own.augmenter],
  };
};

/** The provider as the machine file has it now; `CONSENT_CHANGED` where anything that decides a call differs. */
export const requireSameGate = (planned: Settings, name: string, again: Settings): ProviderSettings => {
  const changed = changes(planned, name, again);
  if (changed.kind === 'same') return changed.provider;
  throw new ColdsealError(
    'CONSENT_CHANGED',
    `${printable(again.machineFile)} changed while the request was looked at: ${changed.parts}. Nothing was sent; ask again.`,
    { facts: { changed: changed.parts } },
  );
};

type Changes = { kind: 'same'; provider: ProviderSettings } | { kind: 'changed'; parts: string };

const changes = (planned: Settings, name: string, again: Settings): Changes => {
  const before = planned.providers.get(name);
  const provider = again.providers.get(name);
  if (before === undefined || provider === undefined) return { kind: 'changed', parts: 'provider block' };
  const now: Readonly<Record<string, unknown>> = decided(provider, again);
  const parts = Object.entries(decided(before, planned))
    .filter(([part, value]) => !isDeepStrictEqual(value, now[part]))
    .map(([part]) => part);
  return parts.length === 0 ? { kind: 'same', provider } : { kind: 'changed', parts: parts.join(', ') };
};

/** Where the service listens; `null` on a socket in the file system, which no provider's URL can name. */
export interface GateListener {
  /** As the service was told: a name of this machine or an address. */
  readonly host: string;
  readonly port: number;
}

/** `CONFIG_INVALID` where the line ends at our own listener, whatever name led there. Nothing of the body has left. */
export const refuseLoop = (line: Line, listener: GateListener | null, name: string): void => {
  const { remoteAddress, remotePort, localAddress } = line.socket;
  if (listener === null || remotePort !== listener.port) return;
  const there = plainAddress(remoteAddress);
  const own = plainAddress(listener.host);
  const isHere = isLoopback(there) || there === plainAddress(localAddress);
  const isLocal = (own === 'localhost' || isLoopback(own)) && isLoopback(there);
  const listensThere = own === '0.0.0.0' || own === '::' || own === there || isLocal;
  if (!isHere || !listensThere) return;
  throw new ColdsealError(
    'CONFIG_INVALID',
    `oracle.api.${name}.base_url leads to this very service, so the call would come back without end. Nothing was sent; name the provider itself.`,
    { facts: { provider: name, port: listener.port } },
  );
};

const plainAddress = (address: string | undefined): string => (address ?? '').toLowerCase().replace(/^::ffff:/, '');

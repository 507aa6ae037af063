/**
 * Consent bound to the destination: asked when a run starts, so that a change costs no scan, and again right before the
 * socket opens, where the first send pins what it goes to. A provider on this machine is outside it.
 */
import { consentBlock } from '../config/consent-block.js';
import {
  type PinPlace,
  pinFirst,
  type ReadPin,
  readConsentPin,
  removePin,
  replacePin,
} from '../config/consent-pins.js';
import {
  type Consent,
  type ConsentChange,
  changesBetween,
  consentRefusal,
  judgeConsent,
} from '../config/judge-consent.js';
import { ColdsealError } from '../contract/error.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { printable } from '../contract/printable.js';
import type { ProviderSettings } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';
import type { Answer, Transport } from '../contract/transport.js';
import { readMachineSettings } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

const placeOf = (provider: ProviderSettings, settings: Settings, { uid }: Surroundings): PinPlace => ({
  machineFolder: settings.machineFolder,
  provider: provider.name,
  uid,
});

/**
 * A provider over HTTP on this machine needs none. A program does wherever it runs: one that was remote and is said to run
 * here would otherwise get unscanned text by a change of one word.
 */
export const needsConsent = ({ endpoint, spawn }: ProviderSettings): boolean => endpoint.remote || spawn !== null;

export const consentTo = async (
  provider: ProviderSettings,
  settings: Settings,
  surroundings: Surroundings,
): Promise<Consent> => {
  const pin = await readConsentPin(placeOf(provider, settings, surroundings));
  return judgeConsent(pin, await consentBlock(provider, settings));
};

/** `CONSENT_CHANGED` unless the provider is as it was pinned, or was never sent to. */
export const requireConsent = async (
  provider: ProviderSettings,
  settings: Settings,
  surroundings: Surroundings,
): Promise<void> => {
  const refusal = consentRefusal(await consentTo(provider, settings, surroundings), provider.name);
  if (refusal !== null) throw refusal;
};

const writeOf = (place: PinPlace, block: Readonly<Record<string, unknown>>, surroundings: Surroundings) => ({
  ...place,
  block,
  now: surroundings.now(),
  uniqueWord: Buffer.from(surroundings.random(6)).toString('hex'),
});

export interface ConsentOfRun {
  /** Called right before each connection, with provider and settings as they read then. `CONSENT_CHANGED`. */
  confirm(provider: ProviderSettings, settings: Settings): Promise<void>;
  /** The same transport; when nothing left, the pin that this run made is taken back. */
  around(transport: Transport): Transport;
  /** Takes the pin that this run made back: nothing left. */
  takeBack(): Promise<void>;
}

/**
 * The pin of one run. A first send of which nothing left is no send, so that a mistyped address can be corrected without
 * approving the correction; what another process pinned meanwhile is judged like any pin.
 */
export const consentOfRun = (surroundings: Surroundings): ConsentOfRun => {
  let made: PinPlace | null = null;
  const takeBack = async (): Promise<void> => {
    if (made !== null) await removePin(made);
  };
  return {
    takeBack,
    confirm: async (provider, settings) => {
      const place = placeOf(provider, settings, surroundings);
      const block = await consentBlock(provider, settings);
      const known = await readConsentPin(place);
      if (known.kind === 'none' && (await pinFirst(writeOf(place, block, surroundings)))) {
        made = place;
        return;
      }
      const pin = known.kind === 'none' ? await readConsentPin(place) : known;
      const refusal = consentRefusal(judgeConsent(pin, block), provider.name);
      if (refusal !== null) throw refusal;
    },
    around: (transport) => ({
      send: async (request) => {
        const answer = await transport.send(request);
        if (nothingLeft(answer)) await takeBack();
        return answer;
      },
    }),
  };
};

/** A try after the first may follow one that was turned away with the bundle already taken. */
const nothingLeft = (answer: Answer): boolean =>
  !answer.ok && (answer.neverConnected || (answer.code === 'PROVIDER_TLS' && answer.attempts === 1));

export interface ApprovedProvider {
  readonly provider: string;
  readonly host: string;
  /** Where it stood before; what is pinned now is the block as it is. */
  readonly was: Consent['kind'];
  readonly changes: readonly ConsentChange[];
}

/** Pins the provider's block as it stands now, and says what that changes. `PROVIDER_UNKNOWN`, `USAGE`. */
export const approveProvider = async (surroundings: Surroundings, name: string): Promise<ApprovedProvider> => {
  const { settings } = await readMachineSettings(surroundings);
  const provider = namedProvider(name, settings);
  if (!needsConsent(provider)) {
    throw new ColdsealError(
      'USAGE',
      `${name} is on this machine; nothing leaves for it, so there is nothing to approve`,
    );
  }
  const place = placeOf(provider, settings, surroundings);
  const block = await consentBlock(provider, settings);
  const pin = await readConsentPin(place);
  const was = judgeConsent(pin, block).kind;
  if (was !== 'pinned') await replacePin(writeOf(place, block, surroundings));
  return { provider: name, host: provider.endpoint.host, was, changes: changesBetween(blockOf(pin), block) };
};

const blockOf = (pin: ReadPin): Readonly<Record<string, unknown>> => (pin.kind === 'pinned' ? pin.block : {});

/** `PROVIDER_UNKNOWN` with the nearest name. */
export const namedProvider = (name: string, settings: Settings): ProviderSettings => {
  const provider = settings.providers.get(name);
  if (provider !== undefined) return provider;
  const near = nearestName(name, [...settings.providers.keys()]);
  throw new ColdsealError(
    'PROVIDER_UNKNOWN',
    `The provider ${printable(name)} is not configured in ${printable(settings.machineFile)}${orNearest(near, '`coldseal providers list` shows what is.')}`,
    { facts: { provider: printable(name) } },
  );
};

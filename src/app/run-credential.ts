/** The credential of a run. A plan without it is a plan, and says so; a send is refused before anything is read. */
import { resolveCredential } from '../config/resolve-credential.js';
import { ColdsealError } from '../contract/error.js';
import type { ProviderSettings } from '../contract/route.js';
import type { Credential } from '../contract/transport.js';
import type { Place } from './open-place.js';
import type { Surroundings } from './surroundings.js';

export interface CredentialAsked {
  readonly surroundings: Surroundings;
  readonly place: Pick<Place, 'settings'>;
  readonly provider: ProviderSettings;
  readonly isPlan: boolean;
}

/** `null` for a provider without one, and in a plan where it has no value. `CREDENTIAL_MISSING`. */
export const credentialOfRun = async (asked: CredentialAsked): Promise<Credential | null> => {
  const { surroundings, place, provider, isPlan } = asked;
  const name = provider.credential;
  if (name === null) return null;
  const { environment, uid } = surroundings;
  try {
    return await resolveCredential(name, { settings: place.settings, environment, uid });
  } catch (error) {
    if (!isPlan || !(error instanceof ColdsealError) || error.code !== 'CREDENTIAL_MISSING') throw error;
    surroundings.say(`coldseal: a send would be refused (CREDENTIAL_MISSING): ${error.message}`);
    return null;
  }
};

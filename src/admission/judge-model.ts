/** The model must be on its provider's own list and on no denylist (product.md section 4, rule 3). */
import { deniedBy } from '../contract/denylist.js';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { ProviderSettings } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';

export type ModelFault =
  | { readonly kind: 'unlisted' }
  | { readonly kind: 'denied'; readonly entry: string; readonly file: string };

export function modelFault(
  provider: ProviderSettings,
  model: string,
  denylist: Settings['denylist'],
): ModelFault | null {
  const denied = deniedBy(
    model,
    denylist.map(({ entry }) => entry),
  );
  if (denied !== null) {
    return { kind: 'denied', entry: denied, file: denylist.find(({ entry }) => entry === denied)?.file ?? '' };
  }
  return provider.models.includes(model) ? null : { kind: 'unlisted' };
}

/** `MODEL_DENIED` or `MODEL_NOT_LISTED`. */
export function requireModel(provider: ProviderSettings, model: string, settings: Settings): void {
  const fault = modelFault(provider, model, settings.denylist);
  if (fault === null) return;
  const shown = printable(model);
  const facts = { provider: provider.name, model: shown };
  if (fault.kind === 'denied') {
    throw new ColdsealError(
      'MODEL_DENIED',
      `The model ${shown} is denied by the entry "${printable(fault.entry)}" of oracle.denylist in ${printable(fault.file)}.`,
      { facts: { ...facts, entry: printable(fault.entry), file: fault.file } },
    );
  }
  throw new ColdsealError(
    'MODEL_NOT_LISTED',
    `The model ${shown} is not on the list of ${provider.name}: ${provider.models.join(', ')}. Add it to oracle.api.${provider.name}.models in ${printable(settings.machineFile)}, or name one that is listed.`,
    { facts },
  );
}

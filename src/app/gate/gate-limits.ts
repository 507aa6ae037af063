/** The cap of a gate request, and whether what would be sent is under it. Nothing is cut short. */
import { type Cap, DEFAULT_CAP_BYTES, estimateTokens } from '../../contract/bundle.js';
import { ColdsealError } from '../../contract/error.js';
import type { ProviderSettings } from '../../contract/route.js';
import type { Settings } from '../../contract/settings.js';
import type { GateItem } from '../../gate/gate-request.js';
import { itemId } from './gate-texts.js';

/** The gate's own cap, else the machine's, else the default. */
export const gateCap = ({ own, bundles }: Settings): Cap => {
  if (own.gate.capBytes !== null) return { bytes: own.gate.capBytes, origin: 'machine', key: 'coldseal.gate.cap' };
  if (bundles.capBytes !== null) return { bytes: bundles.capBytes, origin: 'machine', key: 'oracle.bundles.cap' };
  return { bytes: DEFAULT_CAP_BYTES, origin: 'default', key: 'coldseal.gate.cap' };
};

const SHOWN_ITEMS = 5;

/** `OVER_CAP`, or `OVER_BUDGET` where the provider's budget of tokens is smaller. `items` as they would be sent. */
export const refuseLarge = (
  cap: Cap,
  rawBytes: number,
  bytes: number,
  items: readonly GateItem[],
  { name, maxPromptTokens }: ProviderSettings,
): void => {
  if (bytes > cap.bytes) {
    const largest = items
      .map((item, index) => ({ id: itemId(index), ...item }))
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, SHOWN_ITEMS)
      .map(({ id, label, bytes: size }) => `${id} ${label} (${size} bytes)`);
    throw new ColdsealError(
      'OVER_CAP',
      `The request is ${bytes} bytes as sent, ${rawBytes} bytes raw; the cap is ${cap.bytes} bytes (${cap.origin}, key ${cap.key} of the machine file). Nothing was cut short, nothing was sent. Largest: ${largest.join(', ')}.`,
      { facts: { bytes, raw_bytes: rawBytes, cap: cap.bytes, cap_origin: cap.origin, cap_key: cap.key } },
    );
  }
  const tokens = estimateTokens(bytes);
  if (maxPromptTokens === null || tokens <= maxPromptTokens) return;
  const key = `coldseal.providers.${name}.max_prompt_tokens`;
  throw new ColdsealError(
    'OVER_BUDGET',
    `The request is about ${tokens} tokens (${bytes} bytes / 3.85); ${name} takes ${maxPromptTokens} (${key} of the machine file). Nothing was sent.`,
    { facts: { tokens_est: tokens, max_prompt_tokens: maxPromptTokens, bytes, key } },
  );
};

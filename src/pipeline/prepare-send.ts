/**
 * Everything before a connection that a plan and a send have in common: settings, assembly, the approval, and the
 * refusals that depend on it. A plan gets its refusal as a value, beside the bundle it is about.
 */
import { approvalDigest } from '../bundle/approval-digest.js';
import type { BundleDescription } from '../bundle/describe-bundle.js';
import { estimateTokens, type SealedBundle } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { Route } from '../contract/route.js';
import { assembleBundle } from './assemble-bundle.js';
import type { AssemblyFigures, AssemblyRequest } from './assembly-request.js';
import { refuseSecretSettings } from './check-settings.js';

export type ProviderRoute = Extract<Route, { readonly kind: 'provider' }>;

export interface Preparation {
  readonly assembly: AssemblyRequest;
  readonly route: ProviderRoute;
  /** Model settings as they will be sent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** `--expect`: an approval digest, or `bundle:` and a bundle digest. */
  readonly expect: string | null;
}

export interface DescribedBundle {
  readonly description: BundleDescription;
  readonly approval: string;
}

export interface Prepared extends DescribedBundle {
  /** `null` when it is over the cap: then it is described and was never sealed. */
  readonly bundle: SealedBundle | null;
  readonly refusal: ColdsealError | null;
  readonly figures: AssemblyFigures;
}

export const prepareSend = async (preparation: Preparation): Promise<Prepared> => {
  const { assembly, route, settings, expect } = preparation;
  await refuseSecretSettings(settings, assembly);
  const assembled = await assembleBundle(assembly);
  const isSealed = assembled.kind === 'sealed';
  const description = isSealed ? assembled.bundle : assembled.description;
  const system = isSealed ? assembled.bundle.system : assembled.system;
  const { provider, model } = route;
  const approval = approvalDigest({ provider, model, settings, system, bundle: description });
  const refusal = isSealed
    ? (mismatch(expect, approval, description) ?? overBudget(description, provider))
    : assembled.refusal;
  return { description, approval, bundle: isSealed ? assembled.bundle : null, refusal, figures: assembled.figures };
};

const mismatch = (expect: string | null, approval: string, bundle: BundleDescription): ColdsealError | null => {
  if (expect === null || expect === approval || expect === `bundle:${bundle.digest}`) return null;
  const isBundle = expect.startsWith('bundle:');
  const found = isBundle ? bundle.digest : approval;
  return new ColdsealError(
    'DIGEST_MISMATCH',
    `${isBundle ? 'the bundle' : 'the approval'} is ${found}, not what --expect names. Nothing was sent; plan again, read the plan, and expect the new digest.`,
    { facts: { approval, bundle: bundle.digest } },
  );
};

const overBudget = (bundle: BundleDescription, provider: ProviderRoute['provider']): ColdsealError | null => {
  const tokens = estimateTokens(bundle.bytes);
  const most = provider.maxPromptTokens;
  if (most === null || tokens <= most) return null;
  const key = `coldseal.providers.${provider.name}.max_prompt_tokens`;
  return new ColdsealError(
    'OVER_BUDGET',
    `the bundle is about ${tokens} tokens (${bundle.bytes} bytes / 3.85); ${provider.name} takes ${most} (${key} of the machine file). Nothing was sent; raise the budget or withhold some of the largest items.`,
    { facts: { tokens_est: tokens, max_prompt_tokens: most, bytes: bundle.bytes, key } },
  );
};

/**
 * What a run's scanner looks for: the compiled-in rules of the families that are on, who the owner is, and the owner's own
 * rules. The digest covers all of it, so that a plan and a send can be told apart by it.
 */
import { createHash } from 'node:crypto';
import type { Family } from '../contract/finding.js';
import type { KindName } from '../contract/item.js';
import type { IdentityInputs, Rule, ScanProfile } from '../contract/rule.js';
import type { OwnSettings } from '../contract/settings.js';
import { digestRules } from '../rules/load-rule-set.js';
import type { Surroundings } from './surroundings.js';

/** Code reviewers read ports and test addresses, so network and harness start off for these (engine.md, "Families"). */
const CODE_KINDS: ReadonlySet<KindName> = new Set(['change_review', 'source_question']);

/** Families in their fixed order; the owner's switch wins over the kind's default, and nobody switches `secret` off. */
export const familiesOf = (kind: KindName, switches: OwnSettings['families']): readonly Family[] => {
  const quiet = CODE_KINDS.has(kind);
  const on: Record<Family, boolean> = {
    secret: true,
    identity: switches.identity ?? true,
    network: switches.network ?? !quiet,
    harness: switches.harness ?? !quiet,
    private: true,
  };
  return (['secret', 'identity', 'network', 'harness', 'private'] as const).filter((family) => on[family]);
};

export interface OwnersRules {
  readonly rules: readonly Rule[];
  readonly notes: readonly string[];
}

const NO_RULES: OwnersRules = { rules: [], notes: [] };

/** `SCANNER_DEGRADED` naming file, rule and fault. What reads and proves rules is loaded only where the owner has some. */
export const ownersRules = async ({ rulesFolder, private: patterns }: OwnSettings): Promise<OwnersRules> => {
  const loaded =
    rulesFolder === null ? NO_RULES : (await import('../rules/load-owner-rules.js')).loadOwnerRules(rulesFolder);
  if (patterns.length === 0) return loaded;
  const { privateRules } = await import('../rules/private-rules.js');
  return { rules: [...loaded.rules, ...privateRules(patterns)], notes: loaded.notes };
};

/** Who the owner is, from the account and the repository's git settings. */
export const identityOf = (
  { homeFolder, accountHome, accountName }: Surroundings,
  git: { readonly names: readonly string[]; readonly emails: readonly string[] },
): IdentityInputs => ({
  homePaths: [...new Set([homeFolder ?? accountHome, accountHome])],
  userNames: [accountName],
  personNames: git.names,
  emails: git.emails,
});

export interface ProfileParts {
  readonly rulesDigest: string;
  readonly families: readonly Family[];
  readonly identity: IdentityInputs;
  readonly ownerRules: readonly Rule[];
}

export const makeProfile = ({ rulesDigest, families, identity, ownerRules }: ProfileParts): ScanProfile => {
  const facts = JSON.stringify([rulesDigest, families, identity, digestRules(ownerRules)]);
  const digest = `sha256:${createHash('sha256').update(facts).digest('hex')}`;
  return { digest, families, identity, ownerRules };
};

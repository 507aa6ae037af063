/** Each provider, each agent's route and each credential of the machine file: what a run would refuse, said before one. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { modelFault } from '../../admission/judge-model.js';
import { readsFiles, requireKind } from '../../admission/require-kind.js';
import { consentRefusal } from '../../config/judge-consent.js';
import { resolveCredential } from '../../config/resolve-credential.js';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import { AGENT_KINDS, type ProviderSettings } from '../../contract/route.js';
import type { RoleRoute, Settings } from '../../contract/settings.js';
import { consentTo, needsConsent } from '../consent.js';
import type { Surroundings } from '../surroundings.js';
import { type Check, fail, ok, refused, warn } from './check.js';

export const checkProviders = async (settings: Settings, surroundings: Surroundings): Promise<readonly Check[]> => {
  const providers = [...settings.providers.values()];
  if (providers.length === 0) {
    return [warn('providers', 'none is configured', 'Write a first one: `coldseal init --help`.')];
  }
  const checks: Check[] = [];
  for (const provider of providers) checks.push(await checkProvider(provider, settings, surroundings));
  for (const role of settings.roles.values())
    if (Object.hasOwn(AGENT_KINDS, role.agent)) checks.push(checkRole(role, settings));
  for (const name of credentialNames(settings)) checks.push(await checkCredential(name, settings, surroundings));
  return checks;
};

const checkProvider = async (
  provider: ProviderSettings,
  settings: Settings,
  surroundings: Surroundings,
): Promise<Check> => {
  const { name, endpoint, caFile, models } = provider;
  const check = `provider ${name}`;
  const found = `${printable(endpoint.host)}, ${endpoint.remote ? 'remote' : 'on this machine'}, models ${models.length}`;
  if (caFile !== null && !(await isReadable(caFile))) {
    return fail(check, `${found}; ${printable(caFile)} cannot be read`, `Correct coldseal.providers.${name}.ca_file.`);
  }
  if (provider.spawn !== null && !(await isReadable(provider.spawn.program, constants.X_OK))) {
    return fail(check, `${found}; it cannot be started`, `Correct coldseal.providers.${name}.spawn.`);
  }
  if (!needsConsent(provider)) return ok(check, found);
  try {
    const consent = await consentTo(provider, settings, surroundings);
    if (consentRefusal(consent, name) === null) return ok(check, `${found}, ${consentWords[consent.kind]}`);
    return fail(
      check,
      `${found}; not what was consented to`,
      `See what changed: \`coldseal providers approve ${name}\`.`,
    );
  } catch (error) {
    return refused(check, error, `Correct it, or run \`coldseal providers approve ${name}\`.`);
  }
};

const consentWords = { first: 'nothing sent yet', pinned: 'as consented to', changed: 'changed', unknown: 'unknown' };

const isReadable = (path: string, mode: number = constants.R_OK): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const checkRole = ({ agent, provider: name, model }: RoleRoute, settings: Settings): Check => {
  const check = `route ${agent}`;
  const found = `${name}/${model}`;
  const provider = settings.providers.get(name);
  if (provider === undefined) {
    return fail(check, `${found}: no such provider`, `Configure oracle.api.${name}, or change oracle.roles.${agent}.`);
  }
  const fault = modelFault(provider, model, settings.denylist);
  if (fault !== null) {
    const what = fault.kind === 'denied' ? 'the model is on a denylist' : 'the model is not on the provider’s list';
    return fail(check, `${found}: ${what}`, `Change oracle.roles.${agent} or the list.`);
  }
  const isListed = !provider.endpoint.remote || settings.bundledContextProviders.has(name);
  if (isListed || !readsFiles(requireKind(agent))) return ok(check, found);
  return warn(
    check,
    `${found}: ${name} may not take file-reading helpers (NOT_BUNDLED_CONTEXT)`,
    `Add "${name}" to oracle.bundled_context_providers if it may.`,
  );
};

const credentialNames = (settings: Settings): readonly string[] => {
  const used = [...settings.providers.values()].flatMap(({ credential }) => (credential === null ? [] : [credential]));
  return [...new Set([...used, ...settings.own.credentials.keys()])];
};

const checkCredential = async (
  name: string,
  settings: Settings,
  { environment, uid }: Surroundings,
): Promise<Check> => {
  const check = `key ${name}`;
  try {
    await resolveCredential(name, { settings, environment, uid });
    return ok(check, 'has a value');
  } catch (error) {
    if (!(error instanceof ColdsealError)) throw error;
    const todo = 'Set what the message names; a send to its provider is refused without it.';
    return error.code === 'CREDENTIAL_MISSING' ? warn(check, error.message, todo) : refused(check, error, todo);
  }
};

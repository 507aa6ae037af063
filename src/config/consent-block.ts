/**
 * What the owner consents to by naming a provider: everything of its block that decides who reads a bundle and how it is
 * reached, as plain data. The first send pins it, `consent-pins.ts` keeps it.
 *
 * Left out is what changes neither: the time limit, `usage_chunk`, the order of members and of the model list, the path of
 * a certificate file (its content counts). A model added or taken away is a change like any other: another model is
 * another reader, and the owner says so once.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { canonicalJson } from '../contract/canonical-json.js';
import type { ProviderSettings } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';

/** Members in the order they are shown. Every value is plain JSON. */
export type ConsentBlock = Readonly<Record<string, unknown>>;

/** `sha256:` + hex over the block's canonical JSON. */
export const consentDigest = (block: ConsentBlock): string => sha256(canonicalJson(block));

/** The block as it stands in these settings. Reads the certificate file; one that cannot be read is said to be so. */
export async function consentBlock(provider: ProviderSettings, settings: Pick<Settings, 'own'>): Promise<ConsentBlock> {
  const { credential, spawn } = provider;
  const models = [...new Set(provider.models)].toSorted();
  if (spawn !== null) {
    const { environment, emptyOutput, ...rest } = spawn;
    return {
      transport: 'spawn',
      ...rest,
      env: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, sha256(value)])),
      empty_output: emptyOutput,
      runs_on: provider.endpoint.remote ? 'remote' : 'this-machine',
      models,
      max_prompt_tokens: provider.maxPromptTokens,
    };
  }
  return {
    transport: 'http',
    base_url: provider.endpoint.baseUrl,
    resolve: provider.resolve,
    ca_file: provider.caFile === null ? null : contentDigest(provider.caFile),
    key: credential,
    key_source: credential === null ? null : (settings.own.credentials.get(credential) ?? null),
    models,
    settings: provider.settings,
    max_prompt_tokens: provider.maxPromptTokens,
  };
}

function contentDigest(file: string): string {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return fstatSync(descriptor).isFile() ? sha256(readFileSync(descriptor)) : 'cannot be read';
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return 'cannot be read';
  }
}

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

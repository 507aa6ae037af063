/** Settings made from a machine file and a repository file as they would be read, in real folders. */

import { readSettings } from '../../src/config/read-settings.js';
import type { ColdsealError } from '../../src/contract/error.js';
import { ColdsealError as Refusal } from '../../src/contract/error.js';
import type { Settings } from '../../src/contract/settings.js';
import { makeHome } from '../config/made-home.js';

export interface SettingsWords {
  readonly oracle?: unknown;
  readonly coldseal?: unknown;
  readonly repository?: unknown;
  readonly routing?: unknown;
}

export const PROVIDERS = {
  acme: { base_url: 'https://api.example.com/v1', models: ['vendor/large', 'vendor/small'], key: 'acme' },
  keyless: { base_url: 'https://llm.example.org/v1', models: ['open'] },
  here: { base_url: 'http://localhost:11434/v1', models: ['tiny', 'vendor/large'] },
  keyed: { base_url: 'http://127.0.0.1:8080/v1', models: ['tiny'], key: 'local' },
};

export async function settingsOf(words: SettingsWords): Promise<Settings> {
  const made = makeHome();
  try {
    const { repository, routing, ...machine } = words;
    made.write(made.machineFile, machine);
    if (repository !== undefined) made.write(made.repositoryFile, repository);
    if (routing !== undefined) made.write(made.routingFile, routing);
    return await readSettings(made.facts());
  } finally {
    made.remove();
  }
}

/** What a judgement throws; anything but a refusal fails the test. */
export function refusalIn(run: () => unknown): ColdsealError {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('a refusal was due');
}

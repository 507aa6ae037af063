/**
 * Repositories that a request may name: the folders the owner lists, and what lies right inside them. Only for a choice to
 * be offered; whether one may be read is judged again, by `allowedRepository`, when it is named.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../contract/settings.js';
import { allowedRepository } from './allowed-repository.js';

const MOST_LOOKED_AT = 200;

/** Real paths, each once, in the order of the owner's folders and by name within them. */
export const listRepositories = async (settings: Settings): Promise<readonly string[]> => {
  const found = new Set<string>();
  let left = MOST_LOOKED_AT;
  for (const folder of settings.own.service.repositories) {
    for (const path of [folder, ...(await foldersIn(folder))]) {
      if (left === 0) return [...found];
      left -= 1;
      const repository = await allowedRepository(path, settings).catch(() => null);
      if (repository !== null) found.add(repository);
    }
  }
  return [...found];
};

const foldersIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .sort();
};

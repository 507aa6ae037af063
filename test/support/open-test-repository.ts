/** Opens made repositories through the program's own way, with a temporary folder that is seen to be empty afterwards. */
import { readdirSync, rmSync } from 'node:fs';
import type { Repository } from '../../src/contract/repository.js';
import { type OpenOptions, openRepository } from '../../src/git/open-repository.js';
import { gitTestEnvironment, makeTestFolder } from './make-repository.js';

export interface TestOpener {
  open(folder: string, options?: Partial<OpenOptions>): Promise<Repository>;
  /** Closes all; the names of what they left in the temporary folder. */
  close(): Promise<readonly string[]>;
}

export const callerUid = process.getuid?.() ?? 0;

export const makeOpener = (): TestOpener => {
  const temporary = makeTestFolder();
  const opened: Repository[] = [];
  return {
    open: async (folder, options = {}) => {
      const environment = { ...gitTestEnvironment(), TMPDIR: temporary };
      const signal = new AbortController().signal;
      const repository = await openRepository(folder, { environment, uid: callerUid, signal, ...options });
      opened.push(repository);
      return repository;
    },
    close: async () => {
      for (const repository of opened) await repository.close();
      const left = readdirSync(temporary);
      rmSync(temporary, { recursive: true, force: true });
      return left;
    },
  };
};

/** Where the built files stand. Apart from what else a run takes from outside, so that a thread can be begun before that is loaded. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built files stand beside the module that was loaded: `dist/` for an installed program. */
const builtFolderOf = (moduleUrl: string): string => {
  const here = dirname(fileURLToPath(moduleUrl));
  return here.endsWith('chunks') ? dirname(here) : here.endsWith('app') ? resolve(here, '..', '..', 'dist') : here;
};

/** Absolute. */
export const builtFolder = (): string => builtFolderOf(import.meta.url);

/**
 * Which variables of a program's own environment hold a secret, told by their names: their values must neither stand in a
 * bundle nor in what the program is quoted with. A value under another name is the owner's plain setting.
 */
import type { SpawnSettings } from './route.js';

const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|AUTH|CRED/i;

/** Name and value of each; none for a provider that is no program. */
export const secretVariables = (spawn: SpawnSettings | null): readonly (readonly [name: string, value: string])[] =>
  Object.entries(spawn?.environment ?? {}).filter(([name]) => SECRET_NAME.test(name));

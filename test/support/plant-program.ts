/** A program that leaves a mark when it is run: what a hostile checkout would have git start. */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PlantedProgram {
  /** Absolute path of the program. */
  readonly path: string;
  hasRun(): boolean;
  forget(): void;
}

export const plantProgram = (folder: string): PlantedProgram => {
  const path = join(folder, 'planted.sh');
  const mark = join(folder, 'planted.mark');
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`);
  chmodSync(path, 0o755);
  return { path, hasRun: () => existsSync(mark), forget: () => rmSync(mark, { force: true }) };
};

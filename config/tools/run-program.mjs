// Runs one program of the tool chain from the project's root and stops the whole chain when it fails.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A program that a package installed, as npm links it. */
export const binary = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/** Ends this process with the program's own exit code when it is not 0. */
export const run = (program, words, options = {}) => {
  const done = spawnSync(program, words, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) throw done.error;
  if (done.status !== 0) {
    console.error(`failed (${done.status ?? done.signal}): ${[program, ...words].join(' ')}`);
    process.exit(done.status || 1);
  }
};

/** Exit code of the program, whatever it is. */
export const statusOf = (program, words, options = {}) =>
  spawnSync(program, words, { cwd: root, stdio: 'inherit', ...options }).status ?? 1;

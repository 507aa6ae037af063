/** A library that is loaded before the system's own and does one of its calls otherwise, compiled for one test. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { needProgram } from './find-program.js';

/** The environment that loads it. */
export const withPreload = (folder: string, name: string, source: string): Readonly<Record<string, string>> => {
  const file = join(folder, `${name}.so`);
  execFileSync(needProgram('gcc'), ['-shared', '-fPIC', '-o', file, '-x', 'c', '-', '-ldl'], { input: source });
  return { LD_PRELOAD: file };
};

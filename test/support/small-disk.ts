/** A file system of a few kilobytes, made in memory and mounted for one test. */
import { execFileSync } from 'node:child_process';
import { onTestFinished, type TestContext } from 'vitest';
import { needProgram } from './find-program.js';

/** Mounts over `folder`; the test is passed over where mounting is not allowed. It ends with the test. */
export const mountSmallDisk = (context: TestContext, folder: string, size: string): void => {
  try {
    execFileSync(needProgram('mount'), ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'none', folder], {
      stdio: 'ignore',
    });
  } catch {
    context.skip(true, 'mounting a small file system needs root');
  }
  onTestFinished(() => {
    execFileSync(needProgram('umount'), ['-l', folder]);
  });
};

/**
 * Programs of the machine that some tests run for real: Redis, Chromium, a compiler. Where one is missing its tests are
 * skipped on a person's machine and fail in CI, so that nothing passes there because nobody looked.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these names on the PATH, as an absolute path; `null` when none is there. */
export const findProgram = (...names: readonly string[]): string | null => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return (
    names.flatMap((name) => folders.map((folder) => join(folder, name))).find((place) => existsSync(place)) ?? null
  );
};

/** For `describe.skipIf`: false in CI, whatever is there. */
export const isWithout = (program: string | null): boolean => program === null && process.env['CI'] === undefined;

/** Throws, naming the program, where `findProgram` found none. */
export const needProgram = (name: string, program: string | null = findProgram(name)): string => {
  if (program === null) throw new Error(`no ${name} on the PATH: install it, for these tests run it`);
  return program;
};

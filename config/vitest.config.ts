import { defineConfig } from 'vitest/config';

// The built program is run as a child by many tests, so the build comes first (config/tools/run-tests.mjs).
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is less than a loaded machine needs to start a program.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});

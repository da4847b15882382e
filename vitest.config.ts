import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // Each file has a process of its own: real servers, databases and kills stay apart.
    pool: 'forks',
    // Much of a test's time is waiting for processes, so two at once even on two cores; more would starve the kills' timing.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

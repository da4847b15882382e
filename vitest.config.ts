import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // Each file has a process of its own: real servers, databases and kills stay apart.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

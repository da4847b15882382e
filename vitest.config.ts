import { defineConfig } from 'vitest/config';

/** What holds jobs, events and locks: run a second time with two services on one database (test/support/pair.ts). */
const pair = [
  'package-jobs',
  'package-life',
  'webhook-deliveries',
  'mail',
  'files',
  'file-batches',
  'links',
  'forms',
  'portal-packages',
  'tags',
  'teamspaces',
].map((name) => `test/integration/service/${name}.test.ts`);

export default defineConfig({
  test: {
    // Each file has a process of its own: real servers, databases and kills stay apart.
    pool: 'forks',
    // Two at once on two cores: three are no quicker (measured), and would starve the kills' timing.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts', 'test/**/*.test.tsx'] } },
      { extends: true, test: { name: 'pair', include: pair, env: { LONGSHORE_TEST_PAIR: '1' } } },
    ],
  },
});

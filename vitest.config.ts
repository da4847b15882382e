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
    pool: 'forks',
    // Two at once on two cores: three are no quicker (measured), and would starve the kills' timing.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      // Nothing in our modules keeps state of its own, so files may share a process, and what it has loaded and
      // compiled: a third less CPU (measured).
      {
        extends: true,
        test: { name: 'together', isolate: false, include: ['test/{unit,contract,integration}/**/*.test.{ts,tsx}'] },
      },
      // Each file has a process of its own: real kills, browsers and clocks stay apart.
      { extends: true, test: { name: 'apart', include: ['test/{faults,e2e}/**/*.test.ts'] } },
      { extends: true, test: { name: 'pair', isolate: false, include: pair, env: { LONGSHORE_TEST_PAIR: '1' } } },
    ],
  },
});

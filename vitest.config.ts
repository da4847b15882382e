import { totalmem } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { soaking } from '#test/support/faults/seeds.ts';
import { LongestFirst } from '#test/support/run/longest-first.ts';

/**
 * Run with two services on one database (test/support/service/two-services.ts): what has jobs or events, and what a service
 * remembers in its own process, as uploads, credentials and wrong guesses. Not what the database alone decides, as forms,
 * tags and Teamspaces: calls of one service come to it by connections of their own, too. A soak has them with one service
 * as well; what these files are about, one service does for all the others.
 */
const pair = ['package-jobs', 'package-life', 'webhook-deliveries', 'mail', 'files', 'file-batches', 'links', 'portal-packages'].map(
  (name) => `test/integration/service/${name}.test.ts`,
);

// What Node has stripped of types and compiled serves every worker, and every agent and service that a test starts.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/longshore-test-compiled');

/**
 * V8 looks at all of the heap each time that some 32 MiB of buffers have come and gone, which engines and storages have in
 * every test. Where there is memory for six workers, it does so when the heap and they are this large together.
 */
const collectSeldom = totalmem() > 12 * 1024 ** 3 ? ['--initial-old-space-size=512', '--external-memory-accounted-in-global-limit'] : [];

export default defineConfig({
  test: {
    pool: 'forks',
    // Node loads our sources as it does for users, and keeps what it has compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [...collectSeldom, '--import', new URL('test/support/run/page-modules.ts', import.meta.url).href],
    // Once for all projects: one PostgreSQL for all of a run's services, one S3 gateway, one Swift and one Azurite for its cloud
    // connections. Each starts when a test first asks for it.
    // Before them, a folder for the files of all.
    globalSetup: [
      'test/support/system/files-in-memory.ts',
      'test/support/service/databases/lend.ts',
      'test/support/storage/lend-rgw.ts',
      'test/support/storage/lend-swift.ts',
      'test/support/providers/azurite/lend.ts',
    ],
    // Six at once on two cores: a test that waits leaves its core to another.
    maxWorkers: 6,
    // For what never ends, on the most crowded machine; nothing is quick because of it.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is polled for comes when it comes: a second, as usual, is a race on a crowded machine.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    ...(process.env['LONGSHORE_TEST_CPU'] === '1' && {
      setupFiles: ['test/support/run/file-cpu.ts'],
      reporters: ['default', './test/support/run/cpu-reporter.ts'],
    }),
    projects: [
      // Nothing in our modules keeps state of its own, so files may share a process, and what it has loaded and
      // compiled: a third less CPU (measured).
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/{unit,contract,integration}/**/*.test.{ts,tsx}'],
          exclude: soaking ? [] : pair,
        },
      },
      { extends: true, test: { name: 'browser', isolate: false, include: ['test/e2e/**/*.test.ts'] } },
      // Away from the others' processes. What they kill are processes that they start, and their clocks are given to
      // what they try: they may share one among themselves.
      { extends: true, test: { name: 'faults', isolate: false, include: ['test/faults/**/*.test.ts'] } },
      { extends: true, test: { name: 'pair', isolate: false, include: pair, env: { LONGSHORE_TEST_PAIR: '1' } } },
    ],
  },
});

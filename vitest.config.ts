import { totalmem } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { whole } from '#test/support/level.ts';
import { leftToAll } from '#test/support/run/left-to-all.ts';
import { LongestFirst } from '#test/support/run/longest-first.ts';

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
    // Each look is mostly a call to a service, with what its database does for it.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    sequence: { sequencer: LongestFirst },
    ...(process.env['LONGSHORE_TEST_CPU'] === '1' && {
      setupFiles: ['test/support/run/file-cpu.ts'],
      reporters: ['default', './test/support/run/cpu-reporter.ts'],
    }),
    // Nothing in our modules keeps state of its own, so files may share a process, and what it has loaded and compiled: a third
    // less CPU (measured). Those of browsers and faults, too: they share one browser a process, kill what they have started, and
    // give their clocks to what they try.
    isolate: false,
    exclude: [...configDefaults.exclude, ...(whole ? [] : leftToAll.map(({ file }) => `test/${file}.test.ts`))],
    include: ['test/{unit,contract,integration,faults,e2e}/**/*.test.{ts,tsx}'],
  },
});

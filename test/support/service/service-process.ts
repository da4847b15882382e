import { useCompileCache } from '#main/compile-cache.js';
import { useOwnModules } from '#main/own-modules.ts';
import { usePackedPackages } from '#main/packed-packages.ts';
import type { ServiceOptions } from '#service/options.ts';
import type { Role } from '#service/roles/roles.ts';

// Half of its start is compiling. Loaded after the cache is on, so that it serves everything below.
useCompileCache();
usePackedPackages();
useOwnModules();
const { startRoles } = await import('#service/server.ts');

/**
 * A service in a process of its own, for tests that kill it. Options come as JSON in the first argument;
 * `{ url, storageUrl, firstRun }` goes out as a line of JSON when it is ready, `{ error }` when it cannot start.
 */
try {
  const { roles, ...options } = JSON.parse(process.argv[2]!) as Omit<ServiceOptions, 'roles'> & { readonly roles?: readonly Role[] };
  // As `longshore service` has it.
  const service = await startRoles({
    ...options,
    ...(roles && { roles: new Set(roles) }),
    transfers: { ownProcess: true, ...options.transfers },
    logLevel: 'error',
  });
  process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
  // Whoever started it is gone, or was killed.
  process.stdin.once('end', () => process.exit(1)).resume();
  console.log(JSON.stringify({ url: service.url, storageUrl: service.storageUrl, firstRun: service.firstRun }));
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  process.exitCode = 1;
}

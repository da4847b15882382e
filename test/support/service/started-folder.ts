import type { OwnerOptions } from '#service/server.ts';
import { copyCached } from './cached-folder.ts';

/** What the outcome of a service's first start depends on. */
export const firstStartOf = [
  'service/database/migrations',
  'service/database/private-postgres.ts',
  'service/accounts/first-start.ts',
  'service/jobs/kinds.ts',
  'service/jobs/prepare-queues.ts',
  'service/data-folder.ts',
  'storage/local/layout.ts',
  'package-lock.json',
];

/**
 * Puts a copy of a data folder at `to` that has had its first start with this owner: making a PostgreSQL takes most of a
 * start's time.
 */
export function copyStartedFolder(to: string, owner: OwnerOptions): Promise<void> {
  const make = async (dataDir: string): Promise<void> => {
    const { startService } = await import('#service/server.ts');
    const service = await startService({ listen: { host: '127.0.0.1', port: 0 }, dataDir, owner, logLevel: 'error' });
    await service.close();
  };
  return copyCached({ name: 'started', sources: firstStartOf, of: owner, make }, to);
}

import { openLocalObjects } from '#storage/local/open-objects.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { createCaches } from '../../caches.ts';
import { createCloudProviders } from '../../connections/open-provider.ts';
import { openDatabase } from '../../database/database.ts';
import { withLargestBody } from '../../files/body-limit.ts';
import { createFileWrites } from '../../files/writes.ts';
import { createSharedBuckets } from '../../http/shared-buckets.ts';
import { openJobsToAdd } from '../../jobs/jobs.ts';
import { storageKey, strangersKey } from '../../keys.ts';
import type { Log } from '../../log.ts';
import type { StorageAccess } from '../../roles/storage.ts';
import { createSeal } from '../../seal.ts';
import { createShutdown } from '../../shutdown.ts';
import type { RunnerServices } from '../runner.ts';
import type { Beginning } from './messages.ts';

/** Connections to the database; each transfer uses a few at a time. */
const poolSize = 12;
const sideConnections = 1;

interface OpenRunnerServices {
  readonly services: RunnerServices;
  close(): Promise<void>;
}

/** Opens what work on transfers needs, over the database and the storage that the service has started. */
export async function openRunnerServices(begin: Beginning, events: RunnerServices['events'], log: Log): Promise<OpenRunnerServices> {
  const secret = new Uint8Array(Buffer.from(begin.secret, 'base64'));
  const now = () => new Date();
  const shutdown = createShutdown(log);
  try {
    const db = openDatabase(begin.connection, log, poolSize);
    shutdown.add('the database', () => db.destroy());
    const sidePool = openDatabase(begin.connection, log, sideConnections);
    shutdown.add('the database', () => sidePool.destroy());
    const jobs = await openJobsToAdd(begin.connection, log);
    shutdown.add('the jobs', () => jobs.close());
    const storage = await openStorageAt(begin.storage, secret);
    shutdown.add('the storage', () => storage.close());
    const seal = createSeal(secret);
    const services: RunnerServices = {
      db,
      jobs,
      storage: withLargestBody(storage, begin.storageMaxBody),
      seal,
      events,
      caches: createCaches(),
      fileWrites: createFileWrites(db, now),
      cloudProviders: createCloudProviders({ allowPrivate: begin.allowPrivateConnections ?? false, seal, now, log }),
      buckets: createSharedBuckets(sidePool, strangersKey(secret), now),
      senderLimits: begin.senderLimits,
      now,
    };
    return { services, close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function openStorageAt(access: StorageAccess, secret: Uint8Array): Promise<ObjectStorage> {
  if (access.kind === 'local') return openLocalObjects({ ...access, secret: storageKey(secret) });
  // Loaded only when needed: the S3 client is our largest library.
  const { openStorage } = await import('#storage/open.ts');
  const { storage } = await openStorage(access.url, { secret: storageKey(secret), url: access.gatewayUrl });
  return storage;
}

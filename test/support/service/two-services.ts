import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataFolder, openDataFolder, secretFileName } from '#service/data-folder.ts';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { createLogger } from '#service/log.ts';
import { objectsIdFileName } from '#service/objects-folder.ts';
import { type RunningService, type ServiceOptions, startService } from '#service/server.ts';
import { startLocalStorage } from '#storage/local/server.ts';
import { postgresUrl } from './databases/postgres-url.ts';

export interface StartedServices {
  readonly services: readonly RunningService[];
  /** Where the storage answers; empty for one that the options name. */
  readonly storageUrl: string;
  /** Each service's own, in their order. */
  readonly dataDirs: readonly string[];
  /** Stops all of it; the data stays. */
  close(): Promise<void>;
}

/**
 * Makes a data folder if need be, and a second one with the same secret. Their folders of objects say that they are
 * one: what a test stores by one of two services that have no other storage, it must not ask the other for.
 */
export async function shareSecret(dataDir: string, secondDataDir: string): Promise<DataFolder> {
  const folder = await openDataFolder(dataDir);
  folder.release();
  await mkdir(secondDataDir, { recursive: true });
  await copyFile(join(dataDir, secretFileName), join(secondDataDir, secretFileName));
  const [own, second] = [folder.objects, join(secondDataDir, 'objects')];
  for (const objects of [own, second]) await mkdir(objects, { recursive: true });
  await writeFile(join(own, objectsIdFileName), randomUUID(), { flag: 'wx' }).catch(() => undefined);
  await copyFile(join(own, objectsIdFileName), join(second, objectsIdFileName));
  return folder;
}

/**
 * Starts two services as an operator would behind one address: one PostgreSQL, one storage, one secret, one public
 * address, and everything else twice. Database and storage are those that the options name. Else they lie in `dataDir`,
 * where a single service has them too; the storage is one server that both know, since two can't share a folder.
 */
export async function startTwoServices(
  options: Omit<ServiceOptions, 'listen' | 'storage'>,
  secondDataDir = `${options.dataDir}-second`,
): Promise<StartedServices> {
  const { dataDir } = options;
  const logger = createLogger(options.logLevel ?? 'error', options.logFile);
  const cleanups: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const folder = await shareSecret(dataDir, secondDataDir);

    let { databaseUrl } = options;
    if (databaseUrl === undefined) {
      const { secret, postgres } = folder;
      const running = await startPrivatePostgres({ folder: postgres, secret, logFile: join(dataDir, 'postgres.log'), log: logger });
      cleanups.push(() => running.close());
      databaseUrl = postgresUrl(running.connection);
    }
    const storage =
      options.storageUrl === undefined
        ? await startLocalStorage({
            root: folder.objects,
            secret: randomBytes(32),
            ...(options.storageInProcess && { inProcess: {} }),
            listen: { host: '127.0.0.1', port: 0 },
            ...(options.storagePublicUrl !== undefined && { publicUrl: options.storagePublicUrl }),
            onTrouble: (error) => logger.error({ err: error }, 'the storage met a problem'),
          })
        : null;
    if (storage) cleanups.push(() => storage.close());

    const services: RunningService[] = [];
    for (const own of [dataDir, secondDataDir]) {
      const service = await startService({
        ...options,
        listen: { host: '127.0.0.1', port: 0 },
        dataDir: own,
        databaseUrl,
        publicUrl: options.publicUrl ?? services[0]?.url,
        ...(storage && { storage: { ...storage, publicOrigin: new URL(options.storagePublicUrl ?? storage.url).origin } }),
      });
      services.push(service);
      cleanups.push(() => service.close());
    }
    return { services, storageUrl: storage?.url ?? '', dataDirs: [dataDir, secondDataDir], close };
  } catch (error) {
    await close();
    throw error;
  }
}

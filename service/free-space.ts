import { statfs } from 'node:fs/promises';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { DataFolder } from './data-folder.ts';
import type { HealthCheck } from './health.ts';
import type { ServiceOptions } from './options.ts';

/** PostgreSQL writes its write-ahead log in files of this many bytes, and stops if it cannot create the next one. */
const journalBytes = 16 * 1024 * 1024;
/** A chunk of the usual size: where it finds no room an upload waits, though smaller ones may pass. */
const objectBytes = limits.defaultChunkSize;

async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= bytes;
}

/** Checks that the disks that the service writes to itself have free space. */
export function freeSpaceChecks(
  { databaseUrl, storageUrl, storage }: Pick<ServiceOptions, 'databaseUrl' | 'storageUrl' | 'storage'>,
  folder: Pick<DataFolder, 'postgres' | 'objects'>,
): Record<string, HealthCheck> {
  return {
    ...(databaseUrl === undefined && {
      'database disk': async () => ((await hasRoom(folder.postgres, journalBytes)) ? null : new ApiError('service_database_full')),
    }),
    ...(storageUrl === undefined &&
      storage === undefined && {
        'objects disk': async () => ((await hasRoom(folder.objects, objectBytes)) ? null : new ApiError('service_storage_full')),
      }),
  };
}

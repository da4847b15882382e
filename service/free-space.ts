import { statfs } from 'node:fs/promises';
import { ApiError } from '#protocol/errors.ts';
import type { HealthCheck } from './health.ts';

/** PostgreSQL writes its write-ahead log in files of this many bytes, and stops if it cannot create the next one. */
const journalBytes = 16 * 1024 * 1024;
const objectBytes = 1024 * 1024;

async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= bytes;
}

/** Checks that the disk of the private PostgreSQL has free space. */
export const checkDatabaseDisk =
  (folder: string): HealthCheck =>
  async () =>
    (await hasRoom(folder, journalBytes)) ? null : new ApiError('service_database_full');

/** Checks that the disk of the objects has free space. */
export const checkObjectsDisk =
  (folder: string): HealthCheck =>
  async () =>
    (await hasRoom(folder, objectBytes)) ? null : new ApiError('service_storage_full');

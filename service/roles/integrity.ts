import type { Kysely } from 'kysely';
import type { DataFolder } from '../data-folder.ts';
import type { Database } from '../database/schema/database.ts';
import type { HealthCheck } from '../health.ts';
import { isBucket } from '../integrity/bucket.ts';
import { type Integrity, integrityOf } from '../integrity/check-state.ts';
import { checkedBucket } from '../integrity/checked-bucket.ts';
import { checkedFolder } from '../integrity/checked-folder.ts';
import { readSharedIntegrity } from '../integrity/database-journal.ts';
import { readFolderIntegrity } from '../integrity/folder-journal.ts';
import { createScrub, integrityCheck, lastKnown, type Scrub } from '../integrity/scrub.ts';
import { hasLocalObjects } from '../node.ts';
import type { ServiceOptions } from '../options.ts';
import type { RunningDatabase } from './database.ts';
import type { RunningStorage } from './storage.ts';

export interface OpenIntegrity {
  /** What checks of the storage have found: of a folder it stands beside it, of a bucket in the database. */
  readonly read: () => Promise<Integrity>;
  readonly check: HealthCheck;
  /** Once the database is there. Gives the nightly check; null where it does not run. */
  start(database: Pick<RunningDatabase, 'connection' | 'db'>, own: Pick<RunningStorage, 'storage'> | null, now: () => Date): Scrub | null;
}

export function openIntegrity(options: ServiceOptions, folder: Pick<DataFolder, 'path'>): OpenIntegrity {
  const isLocal = hasLocalObjects(options);
  let db: Kysely<Database> | null = null;
  const read = async (): Promise<Integrity> => {
    if (isLocal) return await readFolderIntegrity(folder.path);
    return db ? await readSharedIntegrity(db) : integrityOf(null, null);
  };
  return {
    read,
    check: integrityCheck(isLocal ? read : lastKnown(read)),
    start(database, own, now) {
      db = database.db;
      const rate = options.scrubRate ?? null;
      const storage = isLocal ? checkedFolder(folder.path) : own && isBucket(own.storage) ? checkedBucket(own.storage) : null;
      if (!storage || rate === null) return null;
      return createScrub({ connection: database.connection, dataDir: folder.path, storage, integrity: read, rate, now });
    },
  };
}

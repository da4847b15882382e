import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { readSecret } from '#service/data-folder.ts';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { copyCached } from '#test/support/service/cached-folder.ts';
import { borrowDatabase, canBorrow } from '#test/support/service/databases/borrow.ts';
import { postgresUrl } from '#test/support/service/databases/postgres-url.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const startAt = (folder: string) =>
  startPrivatePostgres({
    folder: join(folder, 'postgres'),
    secret: Buffer.from('of the PostgreSQL that tests have'),
    logFile: join(folder, 'postgres.log'),
    log: quiet,
  });

/** Made once: it takes longer than all else of a start. */
const cluster = {
  name: 'cluster',
  sources: ['service/database/private-postgres.ts', 'package-lock.json'],
  of: null,
  async make(folder: string): Promise<void> {
    await (await startAt(folder)).close();
  },
};

/** What a test has of a real PostgreSQL, reached by URL as an operator's would be. */
export interface TestPostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** A database with nothing in it, in the PostgreSQL that tests share. */
export async function emptyTestDatabase(): Promise<TestPostgres> {
  if (!canBorrow()) return await startTestPostgres();
  const { url, giveBack } = await borrowDatabase('empty');
  return { url, close: async () => giveBack() };
}

/** A database in which a service of the usual owner has had its first start; that service's data folder is put at `dataDir`. */
export async function startedTestDatabase(dataDir: string): Promise<TestPostgres> {
  if (canBorrow()) {
    const { url, dataDir: started, giveBack } = await borrowDatabase('started');
    cpSync(started, dataDir, { recursive: true });
    return { url, close: async () => giveBack() };
  }
  await copyStartedFolder(dataDir, usualOwner);
  const postgres = await startPrivatePostgres({
    folder: join(dataDir, 'postgres'),
    secret: await readSecret(dataDir),
    logFile: join(dataDir, 'postgres.log'),
    log: quiet,
  });
  return { url: postgresUrl(postgres.connection), close: () => postgres.close() };
}

/** A PostgreSQL of its own, where nobody lends. */
async function startTestPostgres(): Promise<TestPostgres> {
  const temporary = await tempFolder();
  const folder = join(temporary.path, 'cluster');
  await copyCached(cluster, folder);
  const postgres = await startAt(folder);
  return {
    url: postgresUrl(postgres.connection),
    async close() {
      await postgres.close();
      await temporary.remove();
    },
  };
}

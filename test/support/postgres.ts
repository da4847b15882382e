import { join } from 'node:path';
import type pg from 'pg';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { copyKept } from '#test/support/kept-folder.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** How an operator names a PostgreSQL. */
export const postgresUrl = ({ host, port, user, password, database }: pg.ClientConfig): string =>
  `postgres://${user}:${String(password)}@${encodeURIComponent(host!)}:${port}/${database}`;

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

/** A real PostgreSQL of a test's own, with nothing in it, reached by URL as an operator's would be. */
export async function startTestPostgres(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const temporary = await tempFolder();
  const folder = join(temporary.path, 'cluster');
  await copyKept(cluster, folder);
  const postgres = await startAt(folder);
  return {
    url: postgresUrl(postgres.connection),
    async close() {
      await postgres.close();
      await temporary.remove();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** How an operator names a PostgreSQL. */
export const postgresUrl = ({ host, port, user, password, database }: pg.ClientConfig): string =>
  `postgres://${user}:${String(password)}@${encodeURIComponent(host!)}:${port}/${database}`;

/** A real PostgreSQL of a test's own, reached by URL as an operator's would be. */
export async function startTestPostgres(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const folder = await tempFolder();
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPrivatePostgres({
    folder: join(folder.path, 'postgres'),
    secret: randomBytes(32),
    logFile: join(folder.path, 'postgres.log'),
    log: quiet,
  });
  return {
    url: postgresUrl(postgres.connection),
    async close() {
      await postgres.close();
      await folder.remove();
    },
  };
}

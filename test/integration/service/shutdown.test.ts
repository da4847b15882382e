import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate, openDatabase } from '#service/database/database.ts';
import { createHealth } from '#service/health.ts';
import type { JobHandlers } from '#service/jobs/context.ts';
import { jobHandlers, newBatchHandlers } from '#service/jobs/handlers.ts';
import { createLogger } from '#service/log.ts';
import { openMail } from '#service/mail/open.ts';
import { everyRole } from '#service/roles/roles.ts';
import { openServices } from '#service/services.ts';
import { createTransferRunner, defaultTransferLimits } from '#service/transfers/runner.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';

const log = createLogger('silent');
const publicUrl = 'http://127.0.0.1:1';

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let db: ReturnType<typeof openDatabase>;
let running: Awaited<ReturnType<typeof startTestStorage>>;
beforeAll(async () => {
  [postgres, running] = await Promise.all([emptyTestDatabase(), startTestStorage()]);
  db = openDatabase({ connectionString: postgres.url }, log);
  await migrate(db, log);
});
afterAll(async () => {
  await running?.close();
  await db?.destroy();
  await postgres?.close();
});

it('a job in progress has what it works with until it has ended', async () => {
  const { services, jobs, stop } = await openServices({
    roles: everyRole,
    options: {},
    folder: { secret: new Uint8Array(32).fill(7) },
    database: { connection: { connectionString: postgres.url }, db },
    storage: running,
    transfers: createTransferRunner(defaultTransferLimits),
    mail: openMail({ smtpUrl: undefined, from: undefined, outbox: join(running.root, 'outbox'), publicUrl }),
    broker: null,
    publicUrl,
    scrub: null,
    scanner: null,
    facts: {
      version: '0.1.0',
      health: createHealth({}, () => new Date()),
      dataDir: running.root,
      objectsDir: null,
      privateDatabase: false,
      mailServer: false,
      operatorMfa: false,
    },
    now: () => new Date(),
    log,
  });
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const handlers: JobHandlers = {
    ...jobHandlers,
    async 'packages.free'(_data, { signal, buckets, indexScanPool }) {
      const work = async () => {
        await buckets.takeEach([{ name: 'mails', max: 9, millisecondsEach: 1_000 }]);
        return (await sql`select 'found' as it`.execute(indexScanPool)).rows;
      };
      await work();
      begun.resolve();
      await once(signal, 'abort');
      ended.resolve(work());
      await ended.promise;
    },
  };
  await jobs.work(handlers, newBatchHandlers(), services);
  await jobs.add(db, 'packages.free', { package_id: 'p' });
  await begun.promise;
  await stop(10_000);
  expect(await ended.promise).toEqual([{ it: 'found' }]);
});

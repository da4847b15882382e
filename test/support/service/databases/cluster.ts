import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { copyCached } from '../cached-folder.ts';
import { lightHash } from '../light-hash.ts';
import { usualOwner } from '../owner.ts';
import { firstStartOf } from '../started-folder.ts';
import { postgresUrl } from './postgres-url.ts';
import { removeAfterUs } from './remove-after-exit.ts';

/** What a database is made from: one in which a service has had its first start, or one with nothing in it. */
export type Template = 'started' | 'empty';

/** A PostgreSQL whose databases tests borrow. */
export interface TestCluster {
  /** The data folder of the service that had its first start in `started`, without what runs: its secret and its folder of objects. */
  readonly dataDir: string;
  /** Makes a database; returns its name and how it is reached. */
  create(template: Template): Promise<{ readonly name: string; readonly url: string }>;
  /** Whoever is connected is cut off. */
  drop(name: string): Promise<void>;
  /** Ends it and removes all of it. */
  close(): Promise<void>;
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Nothing in it outlives the run, so nothing waits for a disk, and nothing is cleaned up; as many services at once as tests run
 * at once.
 */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  shared_buffers: '128MB',
  max_connections: 400,
};

const startAt = (folder: string) =>
  startPrivatePostgres({
    folder: join(folder, 'postgres'),
    secret: Buffer.from('of the PostgreSQL whose databases tests borrow'),
    logFile: join(folder, 'postgres.log'),
    log: quiet,
    settings,
  });

const template = {
  name: 'databases',
  sources: [...firstStartOf, 'test/support/service/databases/cluster.ts', 'test/support/service/light-hash.ts'],
  of: { usualOwner, settings },
  async make(folder: string): Promise<void> {
    const { startService } = await import('#service/server.ts');
    const postgres = await startAt(folder);
    try {
      const client = new pg.Client(postgres.connection);
      await client.connect();
      await client.query('create database started');
      const service = await startService({
        listen: { host: '127.0.0.1', port: 0 },
        dataDir: join(folder, 'data'),
        databaseUrl: postgresUrl({ ...postgres.connection, database: 'started' }),
        owner: usualOwner,
        logLevel: 'error',
      });
      await service.services.db
        .updateTable('users')
        .set({ password_hash: await lightHash(usualOwner.password) })
        .execute();
      await service.close();
      // Hundreds, and empty: a start makes them in less time than it takes to copy them.
      for (const name of ['objects', 'uploads']) await rm(join(folder, 'data/objects', name), { recursive: true });
      // Each connection's password is checked as ever; making it hard to guess takes half of a connection's time.
      await client.query('set scram_iterations = 1');
      const { user, password } = postgres.connection;
      await client.query(`alter user ${user} password ${client.escapeLiteral(String(password))}`);
      await client.end();
    } finally {
      await postgres.close();
    }
  },
};

/**
 * Starts it over a copy of one that is kept. It ends, and its folder goes, with this process, whichever way that ends.
 * In memory where there is room: a database's five hundred files take an eighth of the CPU there.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const parent = await mkdtemp(join(await roomyMemory(), 'longshore-test-databases-'));
  const folder = join(parent, 'cluster');
  const forget = removeAfterUs(parent, join(folder, 'postgres/postmaster.pid'));
  const remove = async (): Promise<void> => {
    await rm(parent, { recursive: true, force: true, maxRetries: 3 });
    forget();
  };
  try {
    if (process.getuid?.() === 0) await chmod(parent, 0o711);
    await copyCached(template, folder);
    const postgres = await startAt(folder);
    const client = new pg.Client(postgres.connection);
    await client.connect();
    let made = 0;
    return {
      dataDir: join(folder, 'data'),
      async create(template) {
        made += 1;
        const name = `test_${made}`;
        // By files: as pages, which go through the log, they take four times the CPU.
        await client.query(`create database ${name} template ${template === 'started' ? 'started' : 'template1'} strategy file_copy`);
        return { name, url: postgresUrl({ ...postgres.connection, database: name }) };
      },
      async drop(name) {
        await client.query(`drop database if exists ${name} with (force)`);
      },
      async close() {
        await client.end();
        await postgres.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Linux's folder in memory, if it has room for many times what tests keep there at once; else the folder of temporaries. */
async function roomyMemory(): Promise<string> {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = await statfs(memory);
  return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir();
}

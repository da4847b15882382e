import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { hexBytes, plainArray, textArray } from '#service/database/arrays.ts';
import { migrate, migrateTo, openDatabase } from '#service/database/database.ts';
import { migrations } from '#service/database/migrations/index.ts';
import type { Database } from '#service/database/schema/database.ts';
import { versionOf } from '#service/database/versions.ts';
import { whole } from '#test/support/level.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

type Work<T> = (db: Kysely<Database>) => Promise<T>;

async function inDatabase<T>(work: Work<T>): Promise<T> {
  const { url, close } = await emptyTestDatabase();
  try {
    return await connected(url, work);
  } finally {
    await close();
  }
}

async function connected<T>(url: string, work: Work<T>): Promise<T> {
  const db = openDatabase({ connectionString: url }, quiet, 2);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** In a copy of a database that nobody is connected to. */
async function inCopyOf(url: string, work: Work<void>): Promise<void> {
  const at = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const name = new URL(url).pathname.slice(1);
  const [source, copy] = [sql.id(name), sql.id(`${name}_copy`)];
  await connected(at('postgres'), async (server) => {
    await sql`create database ${copy} template ${source} strategy file_copy`.execute(server);
    try {
      await connected(at(`${name}_copy`), work);
    } finally {
      await sql`drop database ${copy} with (force)`.execute(server);
    }
  });
}

describe('the schema', () => {
  /** Columns, indexes, constraints and settings of tables. */
  const shape = async (db: Kysely<Database>): Promise<unknown> =>
    (
      await sql`
        select 'column' as what, table_name || '.' || column_name as name, concat_ws(' ', data_type, is_nullable, column_default) as is
        from information_schema.columns where table_schema = 'public'
        union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
        union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint
          where connamespace = 'public'::regnamespace
        union all select 'settings', relname, array_to_string(reloptions, ',') from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r'
        order by 1, 2`.execute(db)
    ).rows;

  it('comes out the same from every earlier version, and keeps what is in it', async () => {
    const versions = Object.keys(migrations);
    const fresh = await inDatabase(async (db) => {
      await migrate(db, quiet);
      return await shape(db);
    });
    // Brought on by one version after the other, as one that is kept up to date; a copy of each goes to the last at once.
    const earlier = await emptyTestDatabase();
    for (const [index, version] of versions.slice(0, -1).entries()) {
      // Of the others the oldest and the newest do: each is made on the way by the same steps.
      if (!whole && index > 0 && index < versions.length - 2) continue;
      await connected(earlier.url, async (db) => {
        const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo(version);
        expect(error, version).toBeUndefined();
      });
      await inCopyOf(earlier.url, async (db) => {
        if (index > 0) await sql`insert into freed_objects (key, noted_at) values ('kept', now())`.execute(db);
        await migrate(db, quiet);
        expect(await shape(db), version).toEqual(fresh);
        expect(await db.selectFrom('freed_objects').select('key').execute(), version).toEqual(index > 0 ? [{ key: 'kept' }] : []);
      });
    }
    await earlier.close();
  });

  it('marks people whose password others may know, from when whoever added them chose it', async () => {
    await inDatabase(async (db) => {
      await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo('0014-portal-sums');
      await sql`
        insert into users (id, email, name, password_hash, token_version, created_at, updated_at)
        select gen_random_uuid(), name || '@example.com', name, '', version, now(), now()
        from (values ('added', 1), ('changed', 2)) as people (name, version)`.execute(db);
      await migrate(db, quiet);
      expect(await db.selectFrom('users').select(['name', 'password_given']).orderBy('name').execute()).toEqual([
        { name: 'added', password_given: true },
        { name: 'changed', password_given: false },
      ]);
    });
  });

  it('is refused, and left as it is, where a newer version has changed it', async () => {
    await inDatabase(async (db) => {
      await migrate(db, quiet);
      await sql`insert into kysely_migration (name, timestamp) values ('9999-later', now()::text)`.execute(db);
      const before = await shape(db);
      // That version has said that this one works with its tables; then it says that it does not.
      await migrate(db, quiet);
      await sql`update service_facts set value = '9999-later' where name = 'works_since'`.execute(db);
      await expect(migrate(db, quiet)).rejects.toMatchObject({
        code: 'database_cannot_start',
        message: expect.stringContaining('A newer version of Longshore has changed this database'),
      });
      expect(await shape(db)).toEqual(before);
    });
  });

  it('is not waited for while others use a table, so that nobody waits behind it, and comes once they are done', async () => {
    const { url, close } = await emptyTestDatabase();
    try {
      await connected(url, async (db) => await migrateTo(db, '0055-quota-warnings', quiet));
      await connected(url, async (other) => {
        await connected(url, async (db) => {
          const tried = Promise.withResolvers<void>();
          const log = { ...quiet, warn: () => tried.resolve() };
          let migrating: Promise<void> | null = null;
          await other.transaction().execute(async (trx) => {
            // 0056 adds a column to it.
            await sql`lock table teams in access share mode`.execute(trx);
            migrating = migrate(db, log, { lock: 20, pause: 20, inAll: 60_000 });
            await tried.promise;
            await expect(migrate(db, quiet, { lock: 20, pause: 1, inAll: 0 })).rejects.toMatchObject({
              code: 'database_cannot_start',
              message: expect.stringContaining('Something uses its tables'),
            });
          });
          await migrating;
          expect(await versionOf(db)).toBe('same');
        });
      });
    } finally {
      await close();
    }
  });

  it('is asked for nothing but its version where that is the newest, as each start does', async () => {
    const { url, close } = await emptyTestDatabase();
    try {
      await connected(url, (db) => migrate(db, quiet));
      let statements = 0;
      const db = openDatabase({ connectionString: url }, quiet, 1, { onQuery: () => statements++ });
      await migrate(db, quiet);
      await db.destroy();
      expect(statements).toBe(3);
    } finally {
      await close();
    }
  });

  it('has room in its pages of files for what a file learns when it is finalized', async () => {
    const settings = await inDatabase(async (db) => {
      await migrate(db, quiet);
      return (await sql<{ reloptions: string[] }>`select reloptions from pg_class where oid = 'files'::regclass`.execute(db)).rows;
    });
    expect(settings).toEqual([{ reloptions: ['fillfactor=30'] }]);
  });
});

describe('lists that are sent as one text', () => {
  it('come as they were: any texts, and numbers, moments and bytes', async () => {
    await inDatabase(async (db) => {
      const text = fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', "'", '\n', 'é', 'NULL', '') }),
      );
      const storable = text.filter((one) => !one.includes('\0') && one.isWellFormed());
      const row = fc.record({
        text: fc.option(storable),
        number: fc.option(fc.nat(Number.MAX_SAFE_INTEGER)),
        moment: fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }),
        bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
          const { rows: read } = await sql`
            select text, number, moment, decode(bytes, 'hex') as bytes from unnest(
              ${textArray(rows.map((one) => one.text))}::text[], ${plainArray(rows.map(({ number }) => number))}::bigint[],
              ${plainArray(rows.map(({ moment }) => moment.toISOString()))}::timestamptz[],
              ${textArray(rows.map(({ bytes }) => hexBytes(bytes)))}::text[]
            ) as given (text, number, moment, bytes)`.execute(db);
          expect(read).toEqual(rows);
        }),
        { numRuns: 200 },
      );
    });
  });
});

import type pg from 'pg';
import { copyIn } from '../database/copy.ts';
import { BackupError } from './backup-error.ts';
import { inSnapshot, type Manifest, type TableEntry } from './manifest.ts';
import { imagePrefix, type Missing } from './missing.ts';
import type { FileStore } from './ports.ts';
import { digesting, gunzipped } from './streams.ts';
import { columnList, jobsSchema, quoted, type Table, tablesOf } from './tables.ts';

/** In `service_facts`: from which snapshot a database was restored. */
export const restoredFact = 'restored_from';

interface Definition {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Fills the tables of a migrated, empty database in one transaction: whoever kills it leaves them empty. Foreign keys and
 * indexes are made after the rows, as pg_dump does, since that takes a fraction of the time; triggers would count the rows
 * a second time. Rejects with `damaged`, or PostgreSQL's error.
 */
export async function restoreRows(
  client: pg.Client,
  store: FileStore,
  manifest: Manifest,
  missing: readonly Missing[],
  filled: (table: TableEntry) => void,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local maintenance_work_mem = '256MB'`);
    const { tables, jobs } = await matched(client, manifest);
    const keys = await definitions(
      client,
      `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
    );
    const indexes = await definitions(
      client,
      `select indrelid::regclass::text as "table", indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index join pg_class on pg_class.oid = indexrelid
       where relnamespace = current_schema()::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)
         and indrelid::regclass::text not like 'kysely%'`,
    );
    for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (const { entry } of tables) await client.query(`alter table ${nameOf(entry)} disable trigger user`);
    await client.query(`truncate ${tables.map(({ entry }) => nameOf(entry)).join(', ')}`);
    for (const { entry } of tables) {
      await load(client, store, manifest, entry, nameOf(entry));
      filled(entry);
    }
    if (jobs) {
      await loadJobs(client, store, manifest, jobs);
      filled(jobs.entry);
    }
    for (const { definition } of indexes) await client.query(definition);
    for (const { table, name, definition } of keys) await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
    await endMissing(client, missing);
    for (const { entry } of tables) await client.query(`alter table ${nameOf(entry)} enable trigger user`);
    await client.query('insert into service_facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value', [
      restoredFact,
      manifest.id,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  await client.query('analyze');
}

const nameOf = ({ schema, name }: { readonly schema: string; readonly name: string }): string => quoted(schema, name);

const definitions = async (client: pg.Client, query: string): Promise<Definition[]> => (await client.query<Definition>(query)).rows;

interface Matched {
  readonly entry: TableEntry;
  readonly table: Table;
}

/** The backup's tables beside those that the migrations made. */
async function matched(client: pg.Client, manifest: Manifest): Promise<{ readonly tables: Matched[]; readonly jobs: Matched | null }> {
  const here = new Map((await tablesOf(client)).map((table) => [table.name, table]));
  const all = manifest.tables.map((entry) => {
    const table = here.get(entry.name);
    if (!table)
      throw new BackupError(
        'other_version',
        `The backup has a table "${entry.name}" that this version of Longshore does not know. Restore with the version ${manifest.version}, which made it.`,
      );
    // A database of one's own may keep its tables in another schema.
    return { entry: { ...entry, schema: table.schema }, table };
  });
  return {
    tables: all.filter(({ entry }) => entry.schema !== jobsSchema),
    jobs: all.find(({ entry }) => entry.schema === jobsSchema) ?? null,
  };
}

async function load(client: pg.Client, store: FileStore, { id }: Manifest, entry: TableEntry, into: string): Promise<void> {
  const path = inSnapshot(id, entry.file);
  const summed = digesting(store.read(path));
  const damaged = (cause?: unknown) =>
    new BackupError(
      'damaged',
      `${store.name}/${path} is damaged. Nothing of the database was kept. Restore an earlier backup (--snapshot).`,
      { cause },
    );
  let rows: number;
  try {
    rows = await copyIn(client, `copy ${into} (${columnList(entry.columns)}) from stdin`, gunzipped(summed.bytes));
  } catch (error) {
    throw String((error as NodeJS.ErrnoException).code).startsWith('Z_') ? damaged(error) : error;
  }
  if (summed.sum().digest !== entry.sum.digest || rows !== entry.rows) throw damaged();
}

/** Jobs of queues that are known, as far as this version of the queue has their columns. */
async function loadJobs(client: pg.Client, store: FileStore, manifest: Manifest, { entry, table }: Matched): Promise<void> {
  await client.query(`create temp table restored_jobs (like ${nameOf(table)} including defaults) on commit drop`);
  const known = entry.columns.filter((column) => table.columns.includes(column));
  for (const column of entry.columns)
    if (!known.includes(column)) await client.query(`alter table restored_jobs add column ${quoted(column)} text`);
  await load(client, store, manifest, entry, 'restored_jobs');
  await client.query(`delete from ${nameOf(table)}`);
  const columns = columnList(known);
  await client.query(
    `insert into ${nameOf(table)} (${columns}) select ${columns} from restored_jobs where name in (select name from ${quoted(jobsSchema, 'queue')})`,
  );
}

/**
 * What was deleted while the backup ran has ended here too: its bytes are gone, and coming back without them would only look
 * like damage. The service's own job frees what is left of such a package: one that waits so long counts as stalled, and is
 * asked for again.
 */
async function endMissing(client: pg.Client, missing: readonly Missing[]): Promise<void> {
  const ended = missing.filter(({ why }) => why === 'ended');
  const packages = new Map(ended.flatMap(({ package_id, ended: row }) => (row ? [[package_id, row] as const] : [])));
  for (const [id, row] of packages) {
    await client.query(
      `update packages set state = $2, expiry = $3, updated_at = $4, deleted_at = $5, usage_total_bytes = 0,
         free_asked_at = now() - interval '7 days' where id = $1`,
      [id, row.state, row.expiry, row.updated_at, row.deleted_at],
    );
  }
  const files = ended.filter(({ package_id, file_id }) => file_id !== '' && !packages.has(package_id)).map(({ file_id }) => file_id);
  await client.query(
    `with gone as (delete from files where id = any($1::uuid[]) returning object_key),
     counted as (
       select split_part(object_key, '.', 1) as id, count(*) as files, sum(split_part(object_key, '.', 3)::bigint) as bytes
       from gone where object_key is not null group by 1)
     update segments set live_files = live_files - counted.files, live_bytes = live_bytes - counted.bytes
     from counted where segments.id = counted.id`,
    [files],
  );
  const images = ended.filter(({ key }) => key.startsWith(imagePrefix)).map(({ key }) => key.slice(imagePrefix.length));
  for (const [table, column] of imageColumns)
    await client.query(`update ${table} set ${column} = null where ${column} = any($1::uuid[])`, [images]);
  await client.query('delete from images where id = any($1::uuid[])', [images]);
}

const imageColumns = [
  ['portals', 'logo_image_id'],
  ['portals', 'background_image_id'],
  ['teams', 'logo_image_id'],
  ['teams', 'background_image_id'],
] as const;

import pg from 'pg';

/** The tables of a service, which a backup has and a restore fills. */

export interface Table {
  readonly schema: string;
  readonly name: string;
  /** In their order, without generated ones. */
  readonly columns: readonly string[];
}

/** Made by a migration itself; who watches a Team in this minute; and how far a check of these objects is, in this bucket. */
const ownBooks = ['kysely_migration', 'kysely_migration_lock', 'team_watches', 'integrity_checks', 'integrity_check_findings'];
/** Of the queue only the jobs: all else is made at each start. */
export const jobsSchema = 'jobs';

export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and (n.nspname = current_schema() and c.relname <> all($1) or n.nspname = $2 and c.relname = 'job')
     order by n.nspname = $2, c.relname`,
    [ownBooks, jobsSchema],
  );
  return rows;
}

export const quoted = (...parts: readonly string[]): string => parts.map((part) => pg.escapeIdentifier(part)).join('.');

export const columnList = (columns: readonly string[]): string => columns.map((column) => quoted(column)).join(', ');

import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { openDatabase } from './database.ts';
import type { Database } from './schema/database.ts';

/**
 * Of the statements here it is known that they walk through an index in its order, and then read single rows. So
 * each is planned once, for any Team, and never finds and sorts: PostgreSQL, which then does not know how large a
 * Team is, would do so with all of its packages. To plan a page of a list anew takes it longer than to read it.
 */
const walksOnly = [
  'plan_cache_mode = force_generic_plan',
  ...['sort', 'incremental_sort', 'hashjoin', 'mergejoin', 'seqscan', 'bitmapscan'].map((way) => `enable_${way} = off`),
  'max_parallel_workers_per_gather = 0',
];

/** A plan takes some 100 KB of each connection's process. */
const most = { connections: 4, statements: 100 };

/** Opens the connections by which pages of long lists are read. */
export function openWalks(connection: pg.ClientConfig, log: Log): Kysely<Database> {
  return openDatabase(connection, log, most.connections, {
    begin: walksOnly.map((setting) => `set ${setting}`).join('; '),
    statements: most.statements,
  });
}

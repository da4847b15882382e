import type { Kysely } from 'kysely';
import type { Log } from '../log.ts';
import { openDatabase } from './database.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { Database } from './schema/database.ts';

/**
 * Connections for statements that are known to scan an index in its order, and then to read single rows. A generic
 * plan works for them, so each is planned once, for any Team. The settings forbid find-and-sort plans: without
 * knowing the size of the Team, PostgreSQL would sort all of its packages. Planning a page of a list takes longer
 * than reading it.
 */
const indexScanOnly = [
  'plan_cache_mode = force_generic_plan',
  ...['sort', 'incremental_sort', 'hashjoin', 'mergejoin', 'seqscan', 'bitmapscan'].map((plan) => `enable_${plan} = off`),
  'max_parallel_workers_per_gather = 0',
];

/** A plan takes about 100 KB in the process of each connection. */
const poolLimits = { connections: 4, statements: 100 };

/** Opens the connections that read pages of long lists. */
export function openIndexScanPool(connection: DatabaseConnection, log: Log): Kysely<Database> {
  return openDatabase(connection, log, poolLimits.connections, {
    begin: indexScanOnly.map((setting) => `set ${setting}`).join('; '),
    statements: poolLimits.statements,
  });
}

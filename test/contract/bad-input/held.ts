import { sql } from 'kysely';
import type { World } from '../permissions/world.ts';

/** Who guesses how often, and who was right: not what a call is about. */
const aside: ReadonlySet<string> = new Set(['guesses', 'portal_senders']);

/** All that the database holds of the service, as one digest for each table. */
export async function everything(world: World): Promise<Record<string, string>> {
  const { db } = world.at.service.services;
  const tables = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
  const held: Record<string, string> = {};
  for (const { name } of tables.rows) {
    if (aside.has(name)) continue;
    const { rows } = await sql<{ all: string | null }>`
      select md5(string_agg(t::text, '|' order by t::text)) as all from ${sql.table(name)} t`.execute(db);
    held[name] = rows[0]?.all ?? '';
  }
  return held;
}

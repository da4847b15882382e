import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database/schema/database.ts';

/** The `metadata` of a list: how many records it has, or that they are more than were counted. */
interface Counted {
  readonly total: number;
  readonly at_least?: true;
}

/**
 * Counts what `from … where …` finds, and no further than `most`: a list of a million records is quick for whoever does
 * not need to know how many they are (contract/conventions.md §6.1).
 */
export async function countUpTo(db: Kysely<Database>, found: RawBuilder<unknown>, most?: number): Promise<Counted> {
  const limit = most === undefined ? sql`` : sql`limit ${most + 1}`;
  const { rows } = await sql<{ total: string }>`select count(*) as total from (select 1 ${found} ${limit}) as found`.execute(db);
  const total = Number(rows[0]!.total);
  return most !== undefined && total > most ? { total: most, at_least: true } : { total };
}

import { type Kysely, sql } from 'kysely';

/** An index for the packages of a Teamspace: to list them, and to detach them when it is deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index packages_teamspace on packages (teamspace_id, created_at, id) where teamspace_id is not null`.execute(db);
}

import { type RawBuilder, sql } from 'kysely';
import type { World } from '../permissions/world.ts';

/** Who guesses how often, and who was right; how far entries of the audit log are chained; who watches a Team. Not what a call is about. */
const aside: ReadonlySet<string> = new Set(['buckets', 'known_sources', 'audit_pending', 'audit_chain', 'team_watches']);

/** Tables that the service itself changes meanwhile, without the columns where it does. */
const lasting: Readonly<Record<string, RawBuilder<unknown>>> = {
  // How far a message has come: those made before go out.
  messages: sql`(select id, kind, recipient, created_at from messages)`,
  // A gateway that asks no more is taken for gone some seconds after its poll.
  storage_gateways: sql`(select id, team_id, name, platform, version, last_seen_at, created_at from storage_gateways)`,
};

/** No call makes or removes a table. */
let names: readonly string[] | undefined;

/** All that the database holds of the service, as one digest for each table. */
export async function everything(world: World): Promise<Record<string, string>> {
  const { db } = world.at.service.services;
  names ??= (await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db)).rows
    .map(({ name }) => name)
    .filter((name) => !aside.has(name));
  // One statement for all: this is asked after each of hundreds of tests.
  const digests = names.map((name) => {
    const from = lasting[name] ?? sql.table(name);
    return sql`select ${sql.lit(name)} as name, md5(string_agg(t::text, '|' order by t::text)) as digest from ${from} t`;
  });
  const { rows } = await sql<{ name: string; digest: string | null }>`${sql.join(digests, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest ?? '']));
}

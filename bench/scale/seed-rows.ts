import type pg from 'pg';

/**
 * Packages and files as rows alone, by the columns that they have had since the first version, so that every version's tables take them.
 * Ten files a package. No object lies behind them.
 */

export const filesOfPackage = 10;
/** A package's id by its number, as SQL; a UUID as any (RFC 9562). */
export const idOf = (n: string): string => `overlay(overlay(md5('package' || ${n}) placing '4' from 13) placing '8' from 17)::uuid`;
const packagesPerInsert = 20_000;

export interface SeededTeam {
  readonly teamId: string;
  readonly userId: string;
}

export async function seedTeam(client: pg.Client): Promise<SeededTeam> {
  const { rows } = await client.query<{ team: string; member: string }>(`
    with team as (insert into teams (id, name, subdomain, created_at, updated_at) values (gen_random_uuid(), 'Scale', 'scale', now(), now()) returning id),
    member as (
      insert into users (id, email, name, password_hash, primary_team_id, created_at, updated_at)
      select gen_random_uuid(), 'scale@longshore.example', 'Scale', '', id, now(), now() from team returning id
    )
    select team.id as team, member.id as member from team, member`);
  return { teamId: rows[0]!.team, userId: rows[0]!.member };
}

/** Without triggers and checks of other tables, which count what is generated here; counts are not kept up. */
export async function seedRows(
  client: pg.Client,
  { teamId, userId }: SeededTeam,
  files: number,
  say: (text: string) => void,
): Promise<void> {
  await client.query('set session_replication_role = replica; set statement_timeout = 0; set synchronous_commit = off');
  const packages = Math.ceil(files / filesOfPackage);
  // Of an index on rows that are there the making costs a fraction of what each row does to it.
  const { rows: indexes } = await client.query<{ name: string; made: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made from pg_index
    where indrelid = 'packages'::regclass and not exists (select from pg_constraint where conindid = indexrelid)`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (let from = 0; from < packages; from += packagesPerInsert) {
    const to = Math.min(packages, from + packagesPerInsert);
    await client.query(
      `insert into packages (id, team_id, created_by, name, description, sender, recipients, state, size, total_files, usage_total_bytes,
         unlimited_storage, access_limit, chunk_size, created_at, updated_at)
       select ${idOf('n')}, $1, $2, 'Day ' || n, 'A and B camera', 'sender' || n % 500 || '@example.com', array['post@example.com'],
         'finalized', ${filesOfPackage} * 1000, ${filesOfPackage}, ${filesOfPackage} * 1000, true, 0, 104857600,
         now() - n * interval '60 seconds', now() - n * interval '60 seconds'
       from generate_series($3::bigint, $4::bigint - 1) as n`,
      [teamId, userId, from, to],
    );
    await client.query(
      `insert into files (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, etag, digest, fingerprint, created_at)
       select gen_random_uuid(), ${idOf('n')}, sha256(convert_to('a/b/' || at || '.mov', 'UTF8')), 'file', 'a/b', at || '.mov',
         now(), 'finalized', 1000, 104857600, 'b3-' || md5(n || '.' || at) || '-1', 'blake3:' || md5(n::text) || md5(at::text),
         sha256(convert_to(n::text, 'UTF8')), now()
       from generate_series($1::bigint, $2::bigint - 1) as n, generate_series(1, ${filesOfPackage}) as at`,
      [from, to],
    );
    say(`${(to * filesOfPackage).toLocaleString('en-US')} files`);
  }
  for (const { name, made } of indexes) {
    say(name);
    await client.query(made);
  }
  await client.query('reset all');
  await client.query('vacuum analyze packages');
  await client.query('vacuum analyze files');
  await client.query('checkpoint');
}

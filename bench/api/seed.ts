import { type Kysely, sql } from 'kysely';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';

/** What a seeded Team's packages can be filtered by. Shares are of all packages. */
export interface Seeded {
  /** Of about 1 in 2,000. */
  readonly rareTag: string;
  /** Of 1 in 4. */
  readonly commonTag: string;
  /** One of 20, each of about 1 in 40. */
  readonly teamspace: string;
  /** The Portal that about 1 in 5 came in through. */
  readonly portal: string;
  /** One of 500. */
  readonly sender: string;
}

/**
 * Fills a Team with packages as years of work leave them. Indexes are made afterwards, which takes a third of the
 * time. The database is the bench's own.
 */
export async function seedPackages(
  db: Kysely<Database>,
  { teamId, userId, packages }: { readonly teamId: string; readonly userId: string; readonly packages: number },
): Promise<Seeded> {
  const at = new Date();
  const times = { created_at: at, updated_at: at };
  const tags = Array.from({ length: 5 }, newId);
  const teamspaces = Array.from({ length: 20 }, newId);
  const portal = newId();
  await db
    .insertInto('tags')
    .values(tags.map((id, index) => ({ id, team_id: teamId, name: `Season ${index}`, ...times })))
    .execute();
  await db
    .insertInto('teamspaces')
    .values(teamspaces.map((id, index) => ({ id, team_id: teamId, name: `Production ${index}`, ...times })))
    .execute();
  await insertPortal(db, portal, teamId, at);

  await db.connection().execute(async (one) => {
    // What is generated needs no checking against other tables, and a loaded machine may take minutes.
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    const { rows: indexes } = await sql<{ name: string; definition: string }>`
      select indexname as name, indexdef as definition from pg_indexes
      where schemaname = 'public' and tablename = 'packages' and indexname not in (select conname from pg_constraint)`.execute(one);
    for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(one);
    const perInsert = 50_000;
    for (let from = 0; from < packages; from += perInsert) {
      await insertPackages(one, { teamId, userId, tags, teamspaces, portal, from: from + 1, to: Math.min(packages, from + perInsert) });
    }
    for (const { definition } of indexes) await sql.raw(definition).execute(one);
    await sql`vacuum analyze packages`.execute(one);
    // Years of work are on the disk: without this, gigabytes would be written while lists are measured.
    await sql`checkpoint`.execute(one);
    // Each hour it gives up the new ones, 1 package in 10, and for minutes would have half a core to itself.
    await sql`delete from jobs.schedule where name = 'objects.sweep'`.execute(one);
    await sql`reset all`.execute(one);
  });
  return { rareTag: tags[0]!, commonTag: tags[1]!, teamspace: teamspaces[0]!, portal, sender: 'sender7@example.com' };
}

/** Adds a member of 3 Teamspaces, with a random password. @returns the user's id */
export async function addMember(db: Kysely<Database>, teamId: string): Promise<string> {
  const [userId, at] = [newId(), new Date()];
  const times = { created_at: at, updated_at: at };
  const user = { id: userId, email: 'member@longshore.example', name: 'Member', password_hash: '', primary_team_id: teamId, ...times };
  await db.insertInto('users').values(user).execute();
  await db.insertInto('memberships').values({ id: newId(), team_id: teamId, user_id: userId, role: 'member', created_at: at }).execute();
  const spaces = await db.selectFrom('teamspaces').select('id').where('team_id', '=', teamId).orderBy('id').limit(3).execute();
  await db
    .insertInto('teamspace_members')
    .values(spaces.map(({ id }) => ({ id: newId(), teamspace_id: id, user_id: userId, created_at: at })))
    .execute();
  return userId;
}

interface Slice {
  readonly teamId: string;
  readonly userId: string;
  readonly tags: readonly string[];
  readonly teamspaces: readonly string[];
  readonly portal: string;
  readonly from: number;
  readonly to: number;
}

/**
 * None is due, or the service would be busy ending them. Numbers that look random enough, and are the same each time: multiples of primes, modulo a
 * prime.
 */
async function insertPackages(db: Kysely<Database>, { teamId, userId, tags, teamspaces, portal, from, to }: Slice): Promise<void> {
  const random = (prime: number, below: number) => sql.raw(`(n * ${prime} % 1000003 % ${below})`);
  const extra = random(611_953, 50);
  await sql`
    insert into packages (id, team_id, created_by, teamspace_id, tag_id, name, description, sender, recipients, state, size, total_files,
      usage_total_bytes, expiry, custom_expiry, unlimited_storage, access_limit, chunk_size, portal_id, through_portal,
      finalized_at, created_at, updated_at)
    select gen_random_uuid(), ${teamId}::uuid, ${userId}::uuid,
      case when ${random(104_729, 2)} = 0 then (${teamspaces}::uuid[])[1 + ${random(224_737, 20)}] end,
      case when ${random(350_377, 2_000)} = 0 then (${tags}::uuid[])[1] else (${tags}::uuid[])[2 + ${random(479_909, 4)}] end,
      (array['Dailies', 'Conform', 'Sound mix', 'Grade', 'Stills', 'VFX plates'])[1 + ${random(746_773, 6)}]
        || ', day ' || ${random(882_377, 400)} || ', unit ' || ${random(15_485, 9)} || ' (' || n || ')',
      'A and B camera', 'sender' || ${random(674_506, 500)} || '@example.com', array['post@example.com'], state,
      case when state = 'new' then 0 else bytes end, case when state = 'new' then 0 else 1 + ${random(961_748, 900)} end,
      case when state = 'finalized' then bytes else 0 end,
      case when ${extra} > 0 then created + interval '10 years' end, ${extra} = 1, ${extra} = 0, 0, 0,
      case when through_portal then ${portal}::uuid end, through_portal,
      case when state <> 'new' then created end, created, created
    from (
      select n, n * 982451 % 1000003 * 1000000 as bytes, ${random(512_927, 5)} = 0 as through_portal,
        (array['finalized', 'finalized', 'finalized', 'finalized', 'finalized', 'finalized', 'expired', 'expired', 'archived', 'new'])[1 + ${random(217_645, 10)}]
          as state,
        timestamptz '2023-11-20' + n * interval '95 seconds' as created
      from generate_series(${from}::bigint, ${to}::bigint) as n
    ) as facts`.execute(db);
}

async function insertPortal(db: Kysely<Database>, id: string, teamId: string, at: Date): Promise<void> {
  await db
    .insertInto('portals')
    .values({
      id,
      team_id: teamId,
      name: 'Uploads',
      subdomain: `uploads-${id}`,
      message: '',
      has_access_code: false,
      access_code: '',
      active: true,
      recipients: [],
      cc_recipients: [],
      has_download_password: false,
      access_level: 'regular',
      terms_of_service_enabled: false,
      terms_of_service: JSON.stringify({ title: '', description: '', checkbox_label: '', checkbox_url: '' }),
      package_size_restriction_enabled: false,
      max_package_size: 0,
      max_file_size: 0,
      max_file_count: 0,
      file_type_restriction_enabled: false,
      file_types: [],
      expiry_enabled: false,
      primary_color: '#1d5fbf',
      logo_url: '',
      background_url: '',
      created_at: at,
      updated_at: at,
    })
    .execute();
}

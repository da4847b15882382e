import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Member, MemberQuery } from '#protocol/hosted/members.ts';
import type { Role } from '#protocol/roles.ts';
import { csvText } from '../csv.ts';
import { containing } from '../database/patterns.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { formatNext, parseAfter } from '../keyset.ts';
import { may } from '../permissions.ts';
import { seeTeamspace } from '../teamspaces/access.ts';
import { formatDateTime } from '../wire-times.ts';
import { type TeamAccess, teamAccess } from './access.ts';

/** The list of members by name, with search, and the same as a table (contract/teams-and-members.md §7). */
export const memberSearchHandlers: HandlersOf<'findMembers' | 'exportMembers'> = {
  async findMembers({ params, query }, context) {
    const viewer = await teamAccess(context, params.team_id, 'members.read');
    const spaceId = query.space_id === undefined ? null : await teamspaceOf(context, viewer, query.space_id);
    return await findMembers(context.db, { viewer, spaceId, query });
  },

  async exportMembers({ params }, context) {
    const viewer = await teamAccess(context, params.team_id, 'members.manage');
    return csvLines(context.db, viewer);
  },
};

/** A Teamspace of this Team that the caller sees. */
async function teamspaceOf(context: Parameters<typeof seeTeamspace>[0], { teamId }: TeamAccess, spaceId: string): Promise<string> {
  const space = isId(spaceId) ? await seeTeamspace(context, spaceId, 'teamspaces.read') : null;
  if (space?.teamId !== teamId) throw new ApiError('not_found', { resource: 'Teamspace' });
  return space.id;
}

interface MemberSearch {
  readonly viewer: TeamAccess;
  readonly spaceId: string | null;
  readonly query: Omit<MemberQuery, 'space_id'>;
}

interface PersonRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly state: 'active' | 'invited';
  readonly expires_at: Date | null;
  readonly last_seen_at: Date | null;
  readonly mfa: boolean;
  readonly created_at: Date;
  readonly key: string;
}

type FoundMembers = { metadata: { total: number }; records: Member[]; next: string };

/** People in the order of their names regardless of case, then of their ids. */
async function findMembers(db: Kysely<Database>, search: MemberSearch): Promise<FoundMembers> {
  const { viewer, query } = search;
  const people = peopleOf(search);
  const [key, id] = query.after ? parseAfter(query.after, ([, id = '', ...more]) => isId(id) && more.length === 0) : [];
  const after = query.after ? sql<SqlBool>`(key, id) > (${key}, ${id}::uuid)` : sql<SqlBool>`true`;
  // One statement: the total stands in each row, and alone where the page is empty.
  const { rows } = await sql<(PersonRow | { readonly id: null }) & { readonly total: string }>`
    with people as materialized (${people}),
      page as (select * from people where ${after} order by key, id limit ${query.limit + 1})
    select counted.total, page.* from (select count(*) as total from people) as counted left join page on true order by page.key, page.id`.execute(
    db,
  );
  const found = rows.filter((row) => row.id !== null);
  const page = found.slice(0, query.limit);
  const spaces = await teamspacesOf(db, viewer, page);
  const isManager = may(viewer.role, 'members.manage');
  const last = page.at(-1);
  return {
    metadata: { total: Number(rows[0]!.total) },
    records: page.map((row) => toMember(row, spaces.get(row.user_id ?? '') ?? [], isManager)),
    next: found.length > page.length && last ? formatNext([last.key, last.id]) : '',
  };
}

/** Everybody whom the search finds, as a query. Invited people have not agreed yet to be shown to all members. */
function peopleOf({ viewer, spaceId, query }: MemberSearch): RawBuilder<unknown> {
  const shared = (name: RawBuilder<unknown>, email: RawBuilder<unknown>, role: RawBuilder<unknown>): RawBuilder<unknown> => {
    const conditions = [
      ...(query.role === undefined ? [] : [sql`${role} = ${query.role}`]),
      ...(query.search === undefined
        ? []
        : [sql`(${name} ilike ${containing(query.search)} or ${email} ilike ${containing(query.search)})`]),
    ];
    return conditions.length === 0 ? sql`` : sql` and ${sql.join(conditions, sql` and `)}`;
  };
  const inSpace =
    spaceId === null
      ? sql``
      : sql` and exists (
    select 1 from teamspace_members where teamspace_id = ${spaceId} and teamspace_members.user_id = memberships.user_id)`;
  const members = sql`
    select memberships.id, memberships.user_id, users.name, users.email, memberships.role, 'active' as state,
      null::timestamptz as expires_at, users.seen_at as last_seen_at, users.mfa_since is not null as mfa, memberships.created_at, lower(users.name) collate "C" as key
    from memberships join users on users.id = memberships.user_id
    where memberships.team_id = ${viewer.teamId}${shared(sql`users.name`, sql`users.email`, sql`memberships.role`)}${inSpace}`;
  const invited = sql`
    select id, null::uuid as user_id, name, email, role, 'invited' as state,
      expires_at, null::timestamptz as last_seen_at, false as mfa, created_at, lower(name) collate "C" as key
    from invitations
    where team_id = ${viewer.teamId} and accepted_at is null and revoked_at is null${shared(sql`name`, sql`email`, sql`role`)}`;
  const showsInvited = may(viewer.role, 'members.manage') && query.state !== 'active' && spaceId === null;
  const parts = [...(query.state === 'invited' ? [] : [members]), ...(showsInvited ? [invited] : [])];
  return parts.length === 0 ? sql`${members} and false` : sql.join(parts, sql` union all `);
}

function toMember(row: PersonRow, teamspaces: Member['teamspaces'], isManager: boolean): Member {
  return {
    id: row.id,
    ...(row.user_id !== null && { user_id: row.user_id }),
    name: row.name,
    email: row.email,
    role: row.role,
    state: row.state,
    ...(row.expires_at !== null && { expires_at: formatDateTime(row.expires_at) }),
    ...(isManager && row.state === 'active' && { last_seen_at: formatDateTime(row.last_seen_at), mfa: row.mfa }),
    created_at: formatDateTime(row.created_at),
    teamspaces,
  };
}

/** The Teamspaces of these people that the viewer sees, by user. */
async function teamspacesOf(
  db: Kysely<Database>,
  { teamId, userId, role }: TeamAccess,
  people: readonly PersonRow[],
): Promise<ReadonlyMap<string, Member['teamspaces']>> {
  const userIds = people.flatMap((one) => one.user_id ?? []);
  const isSeen = may(role, 'teamspaces.see_all')
    ? sql<SqlBool>`true`
    : sql<SqlBool>`exists (select 1 from teamspace_members mine where mine.teamspace_id = teamspaces.id and mine.user_id = ${userId})`;
  const rows = await db
    .selectFrom('teamspace_members')
    .innerJoin('teamspaces', 'teamspaces.id', 'teamspace_members.teamspace_id')
    .select(['teamspace_members.user_id', 'teamspaces.id', 'teamspaces.name'])
    .where('teamspaces.team_id', '=', teamId)
    .where('teamspace_members.user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .where(isSeen)
    .orderBy(sql`lower(teamspaces.name) collate "C"`)
    .orderBy('teamspaces.id')
    .execute();
  const spaces = new Map<string, { id: string; name: string }[]>();
  for (const { user_id, id, name } of rows) {
    const list = spaces.get(user_id);
    if (list) list.push({ id, name });
    else spaces.set(user_id, [{ id, name }]);
  }
  return spaces;
}

const columns = ['name', 'email', 'role', 'state', 'mfa', 'teamspaces', 'created_at', 'last_seen_at', 'expires_at'] as const;

/** The table, a page at a time. */
async function* csvLines(db: Context['db'], viewer: TeamAccess): AsyncGenerator<string> {
  yield csvText([columns]);
  for (let after: string | undefined; ; ) {
    const { records, next } = await findMembers(db, { viewer, spaceId: null, query: { limit: 1_000, ...(after && { after }) } });
    if (records.length > 0) {
      yield csvText(records.map((one) => columns.map((column) => cellOf(one[column]))));
    }
    if (next === '') return;
    after = next;
  }
}

/** Never is an empty cell. */
function cellOf(value: Member[(typeof columns)[number]]): string {
  if (Array.isArray(value)) return value.map(({ name }) => name).join('; ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === undefined || value === unset ? '' : value;
}

const unset = formatDateTime(null);

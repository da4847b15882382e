import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { packageSorts } from '#protocol/hosted/packages.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import type { HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { endOf, startOf } from './day-range.ts';
import { ownOrTeamspace, selectPackages, toPackage } from './row.ts';

type Sort = (typeof packageSorts)[number];
type SortField = Exclude<Sort, `-${string}`>;

/** What each field sorts by. Every one has an index of the Team's packages (migration 0002). */
const orders: Readonly<Record<SortField, RawBuilder<unknown>>> = {
  name: sql`lower(packages.name) collate "C"`,
  created_at: sql`packages.created_at`,
  size: sql`packages.size`,
  usage_total_bytes: sql`packages.usage_total_bytes`,
  // One that never expires sorts as the latest.
  expiry: sql`packages.expiry`,
  sender: sql`lower(packages.sender) collate "C"`,
  status: sql`packages.state collate "C"`,
  teamspace_id: sql`packages.teamspace_id`,
};

const isDescending = (sort: Sort): sort is Extract<Sort, `-${string}`> => sort.startsWith('-');

/** The ids in a comma-separated list; what could not be one matches nothing. */
const idsIn = (list: string): string[] =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter(isId);

/** Text as LIKE finds it anywhere. */
const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Lists a Team's packages: filtered, in a total order, paged (interface §4.4). Owners and admins see all of
 * them, others their own and those of Teamspaces they are in. A token to manage comes with each, or, for those
 * who may only read, a token to read its details.
 */
export const listTeamPackages: HandlersOf<'listTeamPackages'>['listTeamPackages'] = async ({ params, query }, context) => {
  const { db, tokens } = context;
  const { userId, role } = await teamAccess(context, params.team_id, 'packages.read');

  const where: RawBuilder<SqlBool>[] = [sql`packages.team_id = ${params.team_id}`, sql`packages.state = any(${query.status}::text[])`];
  if (!may(role, 'packages.see_all')) where.push(ownOrTeamspace(userId));
  if (query.name) where.push(sql`packages.name ilike ${anywhere(query.name)}`);
  if (query.sender) where.push(sql`lower(packages.sender) = lower(${query.sender})`);
  if (query.tags) where.push(sql`packages.tag_id = any(${idsIn(query.tags)}::uuid[])`);
  if (query.teamspaces) where.push(sql`packages.teamspace_id = any(${idsIn(query.teamspaces)}::uuid[])`);
  const ranges = [
    [sql`packages.created_at`, query.created_at_start && startOf(query.created_at_start, 'created_at_start')],
    [sql`packages.created_at`, query.created_at_end && endOf(query.created_at_end, 'created_at_end')],
    [sql`packages.expiry`, query.expiry_start && startOf(query.expiry_start, 'expiry_start')],
    [sql`packages.expiry`, query.expiry_end && endOf(query.expiry_end, 'expiry_end')],
  ] as const;
  for (const [column, bound] of ranges) if (bound) where.push(sql`${column} ${sql.raw(bound.op)} ${bound.at}`);
  if (query.extra_storage !== undefined) {
    where.push(sql`(packages.unlimited_storage or packages.custom_expiry) = ${query.extra_storage}`);
  }
  const matches = sql<SqlBool>`${sql.join(where, sql` and `)}`;

  const sort = query.sort ?? '-created_at';
  const direction = isDescending(sort) ? 'desc' : 'asc';
  const field = (isDescending(sort) ? sort.slice(1) : sort) as SortField;
  const { total } = await db
    .selectFrom('packages')
    .select((select) => select.fn.countAll<string>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow();
  const rows = await selectPackages(db)
    .where(matches)
    .orderBy(orders[field], direction)
    .orderBy('packages.id', direction)
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .execute();

  // Whatever one may see here one may also manage, if one's role manages packages at all.
  const variant = may(role, 'packages.manage_own') ? 'manage' : 'read';
  const claimsOf = (packageId: string): TokenClaims['package'] => ({ packageId, variant, tokenId: newId(), linkId: null, userId });
  const records = await Promise.all(
    rows.map(async (row) => toPackage(row, { accessToken: await tokens.sign('package', claimsOf(row.id)), recipients: row.recipients })),
  );
  return { metadata: { total: Number(total) }, records };
};

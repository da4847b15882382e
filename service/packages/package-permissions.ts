import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Role } from '#protocol/roles.ts';
import type { Database } from '../database/schema/database.ts';
import { may, type Permission } from '../permissions.ts';
import { visibleTo } from './visible.ts';

/** What the user of a package token may do with the package now. */
export interface PackagePermissions {
  readonly teamState: 'active' | 'inactive';
  readonly maySee: boolean;
  readonly mayManage: boolean;
}

/** Null if the package does not exist. `userId` is null for a sender through a Portal, who is not a member of the Team. */
export async function readPackagePermissions(
  db: Kysely<Database>,
  packageId: string,
  userId: string | null,
): Promise<PackagePermissions | null> {
  const row = await db
    .selectFrom('packages')
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .leftJoin('memberships', (join) => join.onRef('memberships.team_id', '=', 'packages.team_id').on('memberships.user_id', '=', userId))
    .select(['teams.state', 'memberships.role', isVisibleTo(userId, true).as('of_all'), isVisibleTo(userId, false).as('of_some')])
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    teamState: row.state,
    maySee: hasPermission(row, 'packages.see_all', 'packages.read'),
    mayManage: hasPermission(row, 'packages.manage_all', 'packages.manage_own'),
  };
}

/** Whether a user sees the package of the current row; without a user it is false. */
export const isVisibleTo = (userId: string | null, seesAll: boolean): RawBuilder<SqlBool> =>
  userId === null ? sql`false` : visibleTo(userId, seesAll);

/** Whether a member's role grants the permission for this package: the one for all packages, or the one for visible packages. */
export function hasPermission(
  member: { readonly role: Role | null; readonly of_all: SqlBool; readonly of_some: SqlBool },
  all: Permission,
  some: Permission,
): boolean {
  const { role } = member;
  return role !== null && ((Boolean(member.of_all) && may(role, all)) || (Boolean(member.of_some) && may(role, some)));
}

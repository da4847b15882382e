import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether a user sees a package (contract/packages.md §6). A package of a private Portal is visible to the users in
 * its access list, whatever their role; after that Portal is deleted, to those who see all. Other packages are
 * visible to those who see all, to their creator, and to the members of their Teamspace. A package received through a
 * Portal without a Teamspace is visible to everybody in the Team.
 * A package whose Teamspace was deleted keeps that id, so that it is not visible to the whole Team. Each condition is
 * written so that an index can serve it.
 */
export function visibleTo(userId: string, seesAll: boolean): RawBuilder<SqlBool> {
  const inAccessList = sql<SqlBool>`packages.portal_id = any(array(select portal_id from portal_access where user_id = ${userId}))`;
  if (seesAll) return sql`(not packages.private or packages.portal_id is null or ${inAccessList})`;
  const spaces = sql`array(select teamspace_id from teamspace_members where user_id = ${userId})`;
  return sql`(packages.created_by = ${userId} and not packages.private
    or packages.teamspace_id = any(${spaces}) and not packages.private
    or packages.through_portal and packages.teamspace_id is null and not packages.private
    or packages.private and ${inAccessList})`;
}

import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether a user sees a package (interface §2 "Portal", `access_level`; §4.8; decisions, "Accounts"). Of a private
 * Portal: those in its access list, whatever their role; once that Portal is gone, those who see all. Of others:
 * those who see all, who made it, who are in its Teamspace; and everybody in the Team, where it came in through a
 * Portal without a Teamspace. Written so that each way to see it can be found by an index.
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

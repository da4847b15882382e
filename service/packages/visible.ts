import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether a user sees a package (interface §2 "Portal", `access_level`; §4.8; decisions, "Accounts"). Of a private
 * Portal: those in its access list, whatever their role; once that Portal is gone, those who see all. Of others:
 * those who see all, who made it, who are in its Teamspace; and everybody in the Team, where it came in through a
 * Portal without a Teamspace.
 */
export function visibleTo(userId: string, seesAll: boolean): RawBuilder<SqlBool> {
  const inAccessList = sql<SqlBool>`packages.portal_id in (select portal_id from portal_access where user_id = ${userId})`;
  if (seesAll) return sql`(not packages.private or packages.portal_id is null or ${inAccessList})`;
  return sql`(case when packages.private then ${inAccessList} else
    packages.created_by = ${userId}
    or packages.teamspace_id in (select teamspace_id from teamspace_members where user_id = ${userId})
    or (packages.through_portal and packages.teamspace_id is null) end)`;
}

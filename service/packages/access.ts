import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Role } from '#protocol/roles.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import { standing } from '../links/states.ts';
import { may, type Permission } from '../permissions.ts';
import { type PackageRow, selectPackages } from './row.ts';
import { visibleTo } from './visible.ts';

type AnyPackageToken = CredentialOf<'package:write' | 'package:read' | 'package:manage'>;

export interface SeenPackage {
  readonly row: PackageRow;
  /** Whom the read token's link is for; empty otherwise. */
  readonly linkEmail: string;
}

/**
 * The package of a package token. A read token lives as its link does: once that is disabled or over, it shows
 * nothing any more. A token that a member got shows what that member still sees. Errors: `not_found`,
 * `not_allowed`, and those of a link (links/states.ts).
 */
export async function seePackage({ db, credential, now }: Context<AnyPackageToken>, packageId: string): Promise<SeenPackage> {
  const { userId } = credential;
  const row = await selectPackages(db)
    .leftJoin('memberships', (join) => join.onRef('memberships.team_id', '=', 'packages.team_id').on('memberships.user_id', '=', userId))
    .select(['memberships.role', seenBy(userId, true).as('of_all'), seenBy(userId, false).as('of_some')])
    .leftJoin('links', (join) => join.onRef('links.package_id', '=', 'packages.id').on('links.id', '=', credential.linkId))
    .select(['links.id as link_id', 'links.email as link_email', 'links.expiry as link_expiry', 'links.disabled_at as link_disabled_at'])
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  if (userId !== null && !holds(row, 'packages.see_all', 'packages.read')) {
    throw new ApiError('not_allowed', { detail: 'The user who got this package token may not see the package any more.' });
  }
  if (credential.linkId !== null) {
    if (row.link_id === null) throw new ApiError('not_found', { resource: 'package' });
    const link = standing(
      { disabledAt: row.link_disabled_at, linkExpiry: row.link_expiry, packageState: row.state, packageExpiry: row.expiry },
      now(),
    );
    if (!link.open) throw new ApiError(link.error, link.details);
  }
  return { row, linkEmail: row.link_email ?? '' };
}

/**
 * The package of a management token, if the one who got the token may still manage it: a token outlives a change
 * of role. Errors: `not_found`, `not_allowed`, `team_inactive` (402).
 */
export async function managePackage({ db, credential }: Context<CredentialOf<'package:manage'>>, packageId: string): Promise<PackageRow> {
  const { userId } = credential;
  const row =
    userId === null
      ? undefined
      : await selectPackages(db)
          .innerJoin('teams', 'teams.id', 'packages.team_id')
          .leftJoin('memberships', (join) =>
            join.onRef('memberships.team_id', '=', 'packages.team_id').on('memberships.user_id', '=', userId),
          )
          .select(['teams.state as team_state', 'memberships.role'])
          .select([visibleTo(userId, true).as('of_all'), visibleTo(userId, false).as('of_some')])
          .where('packages.id', '=', packageId)
          .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  if (!holds(row, 'packages.manage_all', 'packages.manage_own')) {
    throw new ApiError('not_allowed', { detail: 'The user who got this package token may not manage the package any more.' });
  }
  if (row.team_state !== 'active') throw new ApiError('team_inactive');
  return row;
}

const seenBy = (userId: string | null, seesAll: boolean): RawBuilder<SqlBool> =>
  userId === null ? sql`false` : visibleTo(userId, seesAll);

/** Whether a member's role reaches the package: by the permission for all packages, or by that for those they see. */
function holds(
  member: { readonly role: Role | null; readonly of_all: SqlBool; readonly of_some: SqlBool },
  all: Permission,
  some: Permission,
): boolean {
  const { role } = member;
  return role !== null && ((Boolean(member.of_all) && may(role, all)) || (Boolean(member.of_some) && may(role, some)));
}

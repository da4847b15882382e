import { ApiError } from '#protocol/errors.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import { linkStatus } from '../links/state-machine.ts';
import { virusPolicy } from '../viruses/policy.ts';
import { hasPermission, isVisibleTo } from './package-permissions.ts';
import { type PackageRow, selectPackages } from './row.ts';

export type AnyPackageToken = CredentialOf<'package:write' | 'package:read' | 'package:manage'>;

interface SeenPackage {
  readonly row: PackageRow;
  /** The e-mail address that the read token's link is for; empty otherwise. */
  readonly linkEmail: string;
}

/**
 * The package of a package token. A read token is valid only as long as its link: once that is disabled or over, it
 * shows nothing any more. A token issued to a member shows only what that member can still see. Errors: `not_found`,
 * `not_allowed`, `team_inactive` (402) except for links, and those of a link (links/state-machine.ts).
 */
export async function seePackage({ db, credential, now }: Context<AnyPackageToken>, packageId: string): Promise<SeenPackage> {
  const { userId } = credential;
  const row = await selectPackages(db)
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .select(['teams.state as team_state', virusPolicy])
    .leftJoin('memberships', (join) => join.onRef('memberships.team_id', '=', 'packages.team_id').on('memberships.user_id', '=', userId))
    .select(['memberships.role', isVisibleTo(userId, true).as('of_all'), isVisibleTo(userId, false).as('of_some')])
    .leftJoin('links', (join) => join.onRef('links.package_id', '=', 'packages.id').on('links.id', '=', credential.linkId))
    .select(['links.id as link_id', 'links.email as link_email', 'links.expiry as link_expiry', 'links.disabled_at as link_disabled_at'])
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  if (userId !== null && !hasPermission(row, 'packages.see_all', 'packages.read')) {
    throw new ApiError('not_allowed', { detail: 'The user who got this package token may not see the package any more.' });
  }
  // Recipients keep access to what was sent to them, even if the Team is suspended.
  if (credential.linkId === null && row.team_state !== 'active') throw new ApiError('team_inactive');
  if (credential.linkId !== null) {
    if (row.link_id === null) throw new ApiError('not_found', { resource: 'package' });
    const link = linkStatus(
      {
        disabledAt: row.link_disabled_at,
        linkExpiry: row.link_expiry,
        packageState: row.state,
        packageExpiry: row.expiry,
        virusPolicy: row.virusPolicy,
      },
      now(),
    );
    if (!link.open) throw new ApiError(link.error, link.details);
  }
  return { row, linkEmail: row.link_email ?? '' };
}

/**
 * The package of a management token, if its user may still manage it: a token outlives a change of role. Errors:
 * `not_found`, `not_allowed`, `team_inactive` (402).
 */
export async function managePackage(
  { db, credential }: Pick<Context<CredentialOf<'package:manage'>>, 'db' | 'credential'>,
  packageId: string,
): Promise<PackageRow> {
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
          .select([isVisibleTo(userId, true).as('of_all'), isVisibleTo(userId, false).as('of_some')])
          .where('packages.id', '=', packageId)
          .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  if (!hasPermission(row, 'packages.manage_all', 'packages.manage_own')) {
    throw new ApiError('not_allowed', { detail: 'The user who got this package token may not manage the package any more.' });
  }
  if (row.team_state !== 'active') throw new ApiError('team_inactive');
  return row;
}

import { ApiError } from '#protocol/errors.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import { standing } from '../links/states.ts';
import { may } from '../permissions.ts';
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
 * nothing any more. Errors: `not_found`, and those of a link (links/states.ts).
 */
export async function seePackage({ db, credential, now }: Context<AnyPackageToken>, packageId: string): Promise<SeenPackage> {
  const row = await selectPackages(db)
    .leftJoin('links', (join) => join.onRef('links.package_id', '=', 'packages.id').on('links.id', '=', credential.linkId))
    .select(['links.id as link_id', 'links.email as link_email', 'links.expiry as link_expiry', 'links.disabled_at as link_disabled_at'])
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
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
 * of role. Errors: `not_found`, `not_allowed`.
 */
export async function managePackage({ db, credential }: Context<CredentialOf<'package:manage'>>, packageId: string): Promise<PackageRow> {
  const userId = credential.userId;
  const row =
    userId === null
      ? undefined
      : await selectPackages(db)
          .leftJoin('memberships', (join) =>
            join.onRef('memberships.team_id', '=', 'packages.team_id').on('memberships.user_id', '=', userId),
          )
          .select(['memberships.role', visibleTo(userId, true).as('of_all'), visibleTo(userId, false).as('of_some')])
          .where('packages.id', '=', packageId)
          .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  const { role, of_all: ofAll, of_some: ofSome } = row;
  if (role === null || !((ofAll && may(role, 'packages.manage_all')) || (ofSome && may(role, 'packages.manage_own')))) {
    throw new ApiError('not_allowed', { detail: 'The user who got this package token may not manage the package any more.' });
  }
  return row;
}

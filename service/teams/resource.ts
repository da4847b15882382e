import { ApiError } from '#protocol/errors.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import type { Permission } from '../permissions.ts';
import { type TeamAccess, teamAccess } from './access.ts';

/**
 * The caller's role in the Team of a resource that is addressed by its own id, after checking the permission. `teamId`
 * is that of the resource's row, undefined if there is no row. A missing resource and one of another Team give the same
 * `not_found`. Other errors: `team_inactive` (402), `not_allowed` (403).
 */
export async function resourceAccess(
  context: Context<Actor>,
  resource: string,
  teamId: string | undefined,
  permission: Permission,
): Promise<TeamAccess> {
  if (teamId === undefined) throw new ApiError('not_found', { resource });
  try {
    return await teamAccess(context, teamId, permission);
  } catch (error) {
    throw error instanceof ApiError && error.error === 'not_found' ? new ApiError('not_found', { resource }) : error;
  }
}

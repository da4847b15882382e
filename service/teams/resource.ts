import { ApiError } from '#protocol/errors.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import type { Permission } from '../permissions.ts';
import { type TeamAccess, teamAccess } from './access.ts';

/**
 * The caller's standing in the Team of something that is addressed by its own id, having checked the permission.
 * `teamId` is that of its row, or undefined where there is none: both nothing and another Team's are `not_found`,
 * in the same words. Further errors: `team_inactive` (402), `not_allowed` (403).
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

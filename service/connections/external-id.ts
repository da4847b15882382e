import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { KnownAuthorization } from './authorization.ts';

/**
 * The external id by which a role's owner knows that it is this Team who has the role assumed, and not another Team that
 * was told the role's name. So an id has one Team for good: that of whoever gave it first, or for whom the service made it
 * (docs/decisions/0049). Credentials without a role come back as they are. `invalid_request` if the id is another Team's.
 */
export async function withExternalId(
  db: Kysely<Database>,
  teamId: string,
  authorization: KnownAuthorization,
  now: Date,
): Promise<KnownAuthorization> {
  const { role_arn, external_id: given } = authorization;
  if (role_arn === undefined) return authorization;
  if (given !== undefined) {
    await claim(db, { external_id: given, team_id: teamId, made: false, created_at: now });
    return authorization;
  }
  const known = await db
    .selectFrom('external_ids')
    .select('external_id')
    .where('team_id', '=', teamId)
    .where('made', '=', true)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  if (known) return { ...authorization, external_id: known.external_id };
  const made = `longshore-${randomUUID()}`;
  await claim(db, { external_id: made, team_id: teamId, made: true, created_at: now });
  return { ...authorization, external_id: made };
}

async function claim(db: Kysely<Database>, row: Database['external_ids']): Promise<void> {
  await db
    .insertInto('external_ids')
    .values(row)
    .onConflict((conflict) => conflict.column('external_id').doNothing())
    .execute();
  const { team_id } = await db
    .selectFrom('external_ids')
    .select('team_id')
    .where('external_id', '=', row.external_id)
    .executeTakeFirstOrThrow();
  if (team_id !== row.team_id) {
    const detail = 'authorization.external_id: Another Team uses this external ID. Leave it out, and the service makes one of your own.';
    throw new ApiError('invalid_request', { detail });
  }
}

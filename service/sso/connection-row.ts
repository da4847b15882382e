import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Seal } from '../seal.ts';
import type { Client } from './provider.ts';
import type { RoleRules } from './roles.ts';

export type ConnectionRow = Selectable<Database['sso_connections']>;

/** What the sealed client secret of a Team is bound to. */
export const secretPurpose = (teamId: string): string => `sso ${teamId} client secret`;

export const readConnection = async (db: Kysely<Database>, teamId: string): Promise<ConnectionRow | undefined> =>
  await db.selectFrom('sso_connections').selectAll().where('team_id', '=', teamId).executeTakeFirst();

export const clientOf = (seal: Seal, row: ConnectionRow): Client => ({
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: row.sealed_secret === null ? null : seal.open(secretPurpose(row.team_id), row.sealed_secret),
  scopes: row.scopes,
  groupClaim: row.group_claim,
});

export async function readRules(db: Kysely<Database>, row: ConnectionRow): Promise<RoleRules> {
  const groupRoles = await db
    .selectFrom('sso_group_roles')
    .select(['group_name as group', 'role'])
    .where('team_id', '=', row.team_id)
    .orderBy('position')
    .execute();
  return { groupRoles, defaultRole: row.default_role };
}

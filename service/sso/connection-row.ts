import type { Kysely, Selectable, Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { Seal } from '../seal.ts';
import type { Client } from './provider.ts';
import type { RoleRules } from './roles.ts';

export type ConnectionRow = Selectable<Database['sso_connections']>;

/** What the sealed client secret of a Team is bound to. */
export const secretPurpose = (teamId: string): string => `sso ${teamId} client secret`;

export const readConnection = async (db: Kysely<Database>, teamId: string): Promise<ConnectionRow | undefined> =>
  await db.selectFrom('sso_connections').selectAll().where('team_id', '=', teamId).executeTakeFirst();

/**
 * Refuses to sign somebody in by a connection that has changed since, or was turned off: its provider may hold an answer back for
 * just that, and its sessions have been ended. In the transaction that signs in, once the Team is locked, as it is for changes.
 * Errors: `sso_refused`.
 */
export async function requireSameConnection(trx: Transaction<Database>, teamId: string, revision: string): Promise<void> {
  const connection = await readConnection(trx, teamId);
  if (connection?.revision !== revision) {
    throw new ApiError('sso_refused', { detail: 'The settings of this sign-in were changed meanwhile. Begin again.' });
  }
  if (!connection.enabled) throw new ApiError('sso_refused', { detail: 'Signing in through your company was turned off meanwhile.' });
}

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

import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Role } from '#protocol/roles.ts';
import type { Actor, UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { may, type Permission } from '../permissions.ts';

export interface TeamAccess {
  readonly teamId: string;
  readonly userId: string;
  readonly role: Role;
}

/** What each permission allows, for the message to a refused caller. */
const actions: Readonly<Record<Permission, string>> = {
  'api_keys.create': 'make API keys',
  'api_keys.manage_own': 'manage API keys',
  'api_keys.manage_all': 'manage API keys that others made',
  'api_keys.list': 'list all API keys of the Team',
  'team.manage': "see and change the Team's settings",
  'sso.manage': 'manage single sign-on',
  'audit.read': 'read the audit log',
  'members.read': 'see the members',
  'members.manage': 'manage members',
  'owners.manage': 'manage owners',
  'teamspaces.read': 'see Teamspaces',
  'teamspaces.see_all': 'see Teamspaces without being in them',
  'teamspaces.manage': 'manage Teamspaces',
  'integrations.manage': 'manage Portals, connections, filters, webhooks and forms',
  'tags.manage': 'manage tags',
  'packages.create': 'send packages',
  'packages.read': 'see packages',
  'packages.manage_own': 'manage packages',
  'packages.see_all': 'see packages of others',
  'packages.manage_all': 'manage packages of others',
  'packages.hold': 'put packages on hold',
};

/** Refuses a role without the permission, with `not_allowed` (403). */
export function requirePermission(role: Role, permission: Permission): void {
  if (!may(role, permission)) {
    throw new ApiError('not_allowed', { detail: `Your role in this Team, ${role}, is not allowed to ${actions[permission]}.` });
  }
}

/**
 * The caller's role in a Team, after checking the permission. For an API key it is cached; for a user it costs one
 * indexed read. API keys meet no challenge, so what the Team demands of sign-ins is for people only. Errors: `not_found` for
 * a Team that the credential cannot see, `team_inactive` (402), `not_allowed`, `mfa_enrolment_required`, `sso_required` (403).
 */
export async function teamAccess(context: Context<Actor>, teamId: string, permission: Permission): Promise<TeamAccess> {
  const { credential, db } = context;
  if (credential.kind === 'api_key') {
    // The key's Team is active, or the key would have been refused as suspended.
    if (credential.teamId !== teamId) throw new ApiError('not_found', { resource: 'Team' });
    requirePermission(credential.role, permission);
    return { teamId, userId: credential.userId, role: credential.role };
  }
  const row = await readMemberState(db, credential, teamId);
  if (!row) throw new ApiError('not_found', { resource: 'Team' });
  requirePermission(row.role, permission);
  if (row.state !== 'active') throw new ApiError('team_inactive');
  requireSignIn(credential, row);
  return { teamId, userId: credential.userId, role: row.role };
}

/** A member's role, and what there is of what the Team demands of sign-ins. */
export interface MemberState {
  readonly role: Role;
  readonly state: 'active' | 'inactive';
  /** The Team's. */
  readonly name: string;
  readonly mfa_required: boolean;
  readonly mfa_since: Date | null;
  /** Null where the Team has no single sign-on. */
  readonly sso_only: boolean | null;
}

/** Undefined for who is no member, and for a session that came by another Team's single sign-on: it counts there only. */
export async function readMemberState(db: Kysely<Database>, credential: UserCredential, teamId: string): Promise<MemberState | undefined> {
  const { userId, ssoTeamId } = credential;
  if (ssoTeamId !== null && ssoTeamId !== teamId) return undefined;
  return await db
    .selectFrom('memberships')
    .innerJoin('teams', 'teams.id', 'memberships.team_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('sso_connections', 'sso_connections.team_id', 'memberships.team_id')
    .select(['memberships.role', 'teams.state', 'teams.name', 'teams.mfa_required', 'users.mfa_since', 'sso_connections.sso_only'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.team_id', '=', teamId)
    .executeTakeFirst();
}

/**
 * Refuses a session that proves less than the Team demands: `sso_required` (403) where members sign in through their
 * company, `mfa_enrolment_required` (403) of a member without a second factor. Owners get in by a password, so that a
 * provider that fails locks nobody out for good. A company's sign-in has its own second factors, so none is asked for.
 */
export function requireSignIn({ ssoTeamId }: UserCredential, { role, name: team, ...demands }: MemberState): void {
  if (ssoTeamId !== null) return;
  if (demands.sso_only && role !== 'owner') throw new ApiError('sso_required', { team });
  if (demands.mfa_required && demands.mfa_since === null) throw new ApiError('mfa_enrolment_required', { team });
}

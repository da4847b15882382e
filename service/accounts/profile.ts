import type { Kysely } from 'kysely';
import type { Static } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import type { OwnTeam, User } from '#protocol/hosted/accounts.ts';
import type { Role } from '#protocol/roles.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { permissionsOf } from '../permissions.ts';
import { policyColumns } from '../teams/policies.ts';

export interface Profile {
  readonly user: Static<typeof User>;
  /** Active and inactive Teams, in the order in which the user joined them. */
  readonly teams: readonly OwnTeam[];
}

/**
 * A user with their Teams, or only the named Team. `level` is the role in the primary Team, or in the first one if
 * there is no primary. Null for a user who does not exist.
 */
export async function readProfile(db: Kysely<Database>, userId: string, onlyTeamId?: string): Promise<Profile | null> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('teams', 'teams.id', 'memberships.team_id')
    .select([
      'users.id as user_id',
      'users.email',
      'users.name as user_name',
      'users.time_zone',
      'users.language',
      'users.primary_team_id',
      'users.preferred_team_id',
      'users.is_operator',
      'memberships.role',
      'teams.id as team_id',
      'teams.name as team_name',
      'teams.subdomain',
      'teams.custom_expiry_default',
      'teams.custom_expiry_enabled',
      'teams.download_limit_default',
      'teams.download_limit_enabled',
      'teams.max_email_recipients',
      'teams.chunk_size_default',
      'teams.notify_default',
      'teams.verify_recipient_default',
      'teams.primary_color',
      'teams.logo_url',
      'teams.background_url',
      ...policyColumns,
    ])
    .where('users.id', '=', userId)
    .orderBy('memberships.id')
    .execute();
  const first = rows[0];
  if (!first) return null;
  const level: Role = (rows.find((row) => row.team_id === (onlyTeamId ?? first.primary_team_id)) ?? first).role ?? 'guest';
  const teams = rows.flatMap((row): OwnTeam[] =>
    row.team_id === null || (onlyTeamId !== undefined && row.team_id !== onlyTeamId)
      ? []
      : [
          {
            id: row.team_id,
            name: row.team_name ?? '',
            subdomain: row.subdomain ?? '',
            custom_expiry_default: row.custom_expiry_default ?? 0,
            custom_expiry_enabled: row.custom_expiry_enabled ?? false,
            download_limit_default: row.download_limit_default ?? 0,
            download_limit_enabled: row.download_limit_enabled ?? false,
            max_email_recipients: row.max_email_recipients ?? 0,
            chunk_size_default: row.chunk_size_default ?? 0,
            max_expiry_days: row.max_expiry_days ?? 0,
            password_required: row.password_required ?? false,
            public_links_allowed: row.public_links_allowed ?? true,
            verify_recipient_default: row.verify_recipient_default ?? false,
            verify_recipient_required: row.verify_recipient_required ?? false,
            notify_default: row.notify_default ?? [],
            recipient_domains: row.recipient_domains ?? [],
            role: row.role ?? 'guest',
            branding: {
              primary_color: row.primary_color ?? '',
              logo_url: row.logo_url ?? '',
              background_url: row.background_url ?? '',
            },
            permissions: permissionsOf(row.role ?? 'guest'),
          },
        ],
  );
  const user = {
    id: first.user_id,
    email: first.email,
    name: first.user_name,
    level,
    preferred_team_id: first.preferred_team_id ?? first.primary_team_id ?? '',
    primary_team_id: first.primary_team_id ?? '',
    time_zone: first.time_zone,
    ...(first.language !== '' && { language: first.language }),
    // What counts in one Team alone operates nothing.
    ...(first.is_operator && onlyTeamId === undefined && { operator: true }),
  };
  return { user, teams };
}

/** The caller as the user of an answer. */
export async function ownProfile({ db, credential }: Context<UserCredential>): Promise<Profile['user']> {
  const profile = await readProfile(db, credential.userId, credential.ssoTeamId ?? undefined);
  if (!profile) throw new ApiError('not_found', { resource: 'user' });
  return profile.user;
}

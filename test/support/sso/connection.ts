import type { SsoRole } from '#protocol/hosted/sso.ts';
import { newId } from '#service/ids.ts';
import { secretPurpose } from '#service/sso/connection-row.ts';
import { recordValue } from '#service/sso/txt-records.ts';
import type { TestService } from '#test/support/service/start-service.ts';

interface PutSso {
  readonly issuer: string;
  /** Of the client `longshore`; a public one without. */
  readonly secret?: string;
  readonly enabled?: boolean;
  readonly ssoOnly?: boolean;
  readonly defaultRole?: SsoRole | null;
  readonly groups?: Readonly<Record<string, SsoRole>>;
  /** A verified one; another for each Team. */
  readonly domain?: string;
}

/** Gives a Team single sign-on, in place of what it had. */
export async function putSso({ service }: TestService, teamId: string, sso: PutSso): Promise<void> {
  const { db, now, seal } = service.services;
  const { issuer, secret, enabled = true, ssoOnly = false, defaultRole = 'member', groups = {}, domain } = sso;
  await db.deleteFrom('sso_connections').where('team_id', '=', teamId).execute();
  await db
    .insertInto('sso_connections')
    .values({
      ...{
        team_id: teamId,
        issuer,
        client_id: 'longshore',
        sealed_secret: secret === undefined ? null : seal.seal(secretPurpose(teamId), secret),
        scopes: ['openid', 'email', 'profile'],
      },
      ...{ group_claim: 'groups', default_role: defaultRole, enabled, sso_only: ssoOnly },
      ...{ revision: newId(), proven_at: null, updated_at: now() },
    })
    .execute();
  const rows = Object.entries(groups).map(([group_name, role], position) => ({ team_id: teamId, group_name, role, position }));
  if (rows.length > 0) await db.insertInto('sso_group_roles').values(rows).execute();
  if (domain === undefined) return;
  await db.deleteFrom('sso_domains').where('domain', '=', domain).execute();
  await db
    .insertInto('sso_domains')
    .values({
      ...{ id: newId(), team_id: teamId, domain, token: newId(), created_at: now() },
      ...{ verified_at: now(), checked_at: now(), missing_since: null },
    })
    .execute();
}

/** A resolver by which every domain that any Team has named has its record. */
export const everyRecord = (at: () => TestService) => async (name: string) => {
  const rows = await at().service.services.db.selectFrom('sso_domains').select('token').where('domain', '=', name).execute();
  return rows.map(({ token }) => recordValue(token));
};

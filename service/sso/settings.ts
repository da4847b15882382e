import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { SetSso, Sso, SsoConnection } from '#protocol/hosted/sso.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { recordAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { requireUnchanged } from '../unchanged.ts';
import { formatDateTime } from '../wire-times.ts';
import { type ConnectionRow, readConnection, readRules, secretPurpose } from './connection-row.ts';
import { toDomain } from './domain-rows.ts';
import { discover } from './provider.ts';

/** What stands for the time of a provider that nobody has set. */
const unset = new Date(unsetDateTime);

/** The provider of a Team, and who gets in by it (contract/sso.md §1, §5). */
export const settingsHandlers: HandlersOf<'getSso' | 'setSso' | 'deleteSso' | 'testSso'> = {
  async getSso({ params }, context) {
    await teamAccess(context, params.team_id, 'sso.manage');
    return await readSso(context, params.team_id);
  },

  async setSso({ params, body }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'sso.manage');
    checkIssuer(context, body.issuer);
    checkGroups(body);
    await inTransaction(context.db, async (trx) => {
      await lockTeam(trx, teamId);
      const before = await readConnection(trx, teamId);
      requireUnchanged(body.expected_updated_at, { updated_at: before?.updated_at ?? unset }, 'Single sign-on');
      const row = { ...changed(context, teamId, before, body), updated_at: context.now() };
      await requireNoLockOut(trx, before, row);
      await trx
        .insertInto('sso_connections')
        .values(row)
        .onConflict((conflict) => conflict.column('team_id').doUpdateSet(row))
        .execute();
      const rulesBefore = before ? await readRules(trx, before) : null;
      await saveGroups(trx, teamId, body.group_roles);
      if (before && (!row.enabled || row.revision !== before.revision)) await endSessions(trx, teamId);
      const details = {
        fields: changedFields(before, row, rulesBefore?.groupRoles, body.group_roles),
        enabled: row.enabled,
        sso_only: row.sso_only,
        issuer: row.issuer,
      };
      await recordAudit(trx, context, teamId, { action: 'sso.changed', target: { kind: 'team', id: teamId, name: '' }, details });
    });
    context.credentials.invalidateAll();
    return await readSso(context, teamId);
  },

  async deleteSso({ params }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'sso.manage');
    await inTransaction(context.db, async (trx) => {
      await lockTeam(trx, teamId);
      const gone = await trx.deleteFrom('sso_connections').where('team_id', '=', teamId).returning('issuer').executeTakeFirst();
      if (!gone) throw new ApiError('not_found', { resource: 'single sign-on' });
      await endSessions(trx, teamId);
      await recordAudit(trx, context, teamId, {
        action: 'sso.removed',
        target: { kind: 'team', id: teamId, name: '' },
        details: { issuer: gone.issuer },
      });
    });
    context.credentials.invalidateAll();
  },

  async testSso({ params, body }, context) {
    await teamAccess(context, params.team_id, 'sso.manage');
    checkIssuer(context, body.issuer);
    return await discover(context.ssoHttp, body.issuer);
  },
};

type NewRow = Omit<ConnectionRow, 'updated_at'>;

export async function readSso(context: Context<UserCredential>, teamId: string): Promise<Sso> {
  const { db, urls } = context;
  const row = await readConnection(db, teamId);
  const domains = await db.selectFrom('sso_domains').selectAll().where('team_id', '=', teamId).orderBy('domain').execute();
  return {
    ...(row && { connection: await toConnection(context, row) }),
    domains: domains.map(toDomain),
    callback_url: urls.ssoCallback(teamId),
  };
}

async function toConnection({ db }: Pick<Context, 'db'>, row: ConnectionRow): Promise<SsoConnection> {
  const { groupRoles } = await readRules(db, row);
  return {
    issuer: row.issuer,
    client_id: row.client_id,
    has_client_secret: row.sealed_secret !== null,
    scopes: row.scopes,
    group_claim: row.group_claim,
    group_roles: [...groupRoles],
    default_role: row.default_role ?? 'none',
    enabled: row.enabled,
    sso_only: row.sso_only,
    proven_at: formatDateTime(row.proven_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

function checkIssuer({ ssoHttp }: Pick<Context, 'ssoHttp'>, issuer: string): void {
  const refuse = (detail: string) => new ApiError('invalid_request', { detail: `issuer: ${detail}` });
  if (!URL.canParse(issuer)) throw refuse('this is no address. It begins with https://.');
  const { protocol, username, password, search, hash } = new URL(issuer);
  if (protocol !== 'https:' && !(protocol === 'http:' && ssoHttp.allowsPlainHttp)) throw refuse('the address has to begin with https://.');
  if (username + password + search + hash !== '') throw refuse('the address has neither a name and password, nor a ? or #.');
}

function checkGroups({ group_claim: claim, group_roles: roles }: SetSso): void {
  const names = roles.map(({ group }) => group);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ApiError('invalid_request', { detail: `group_roles: the group ${twice} is named twice.` });
  if (roles.length > 0 && claim === '')
    throw new ApiError('invalid_request', { detail: 'group_claim: name the claim that the groups are in.' });
}

function changed({ seal }: Pick<Context, 'seal'>, teamId: string, before: ConnectionRow | undefined, body: SetSso): NewRow {
  const { client_secret: secret, default_role: fallback, ...settings } = body;
  const sealed = secret === undefined ? (before?.sealed_secret ?? null) : secret === '' ? null : seal.seal(secretPurpose(teamId), secret);
  const isSame = before?.issuer === body.issuer && before.client_id === body.client_id;
  // A secret is replaced now and then, by the same client: who it knows stays signed in.
  const isProven = isSame && secret === undefined;
  return {
    team_id: teamId,
    issuer: settings.issuer,
    client_id: settings.client_id,
    scopes: settings.scopes,
    group_claim: settings.group_claim,
    enabled: settings.enabled,
    sso_only: settings.sso_only,
    sealed_secret: sealed,
    default_role: fallback === 'none' ? null : fallback,
    revision: isSame ? before.revision : newId(),
    proven_at: isProven ? before.proven_at : null,
  };
}

/** Nobody makes it the only way in before somebody has come in by it. Errors: `invalid_request`, `state_conflict`. */
async function requireNoLockOut(trx: Transaction<Database>, before: ConnectionRow | undefined, row: NewRow): Promise<void> {
  if (!row.sso_only) return;
  if (!row.enabled) throw new ApiError('invalid_request', { detail: 'sso_only: enable single sign-on first.' });
  // What is in force stays so when its secret is replaced: owners get in anyway.
  if (before?.sso_only && before.revision === row.revision) return;
  const conflict = (detail: string) => new ApiError('state_conflict', { detail: `sso_only: ${detail}` });
  if (row.proven_at === null) {
    throw conflict('nobody has signed in with this issuer, client and secret yet. Try the sign-in first, so that nobody is locked out.');
  }
  const verified = await trx
    .selectFrom('sso_domains')
    .select(sql`1`.as('one'))
    .where('team_id', '=', row.team_id)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  if (!verified) throw conflict('no domain is verified yet, so the sign-in page would lead nobody to your provider.');
}

async function saveGroups(trx: Transaction<Database>, teamId: string, groups: SetSso['group_roles']): Promise<void> {
  await trx.deleteFrom('sso_group_roles').where('team_id', '=', teamId).execute();
  if (groups.length === 0) return;
  const rows = groups.map(({ group, role }, position) => ({ team_id: teamId, group_name: group, role, position }));
  await trx.insertInto('sso_group_roles').values(rows).execute();
}

/** Ends the sessions that came by the Team's single sign-on. Cached facts about them are the caller's to forget. */
const endSessions = async (trx: Transaction<Database>, teamId: string): Promise<void> =>
  void (await trx.deleteFrom('sessions').where('sso_team_id', '=', teamId).execute());

/** The names of what is another value now. */
function changedFields(
  before: ConnectionRow | undefined,
  row: NewRow,
  groupsBefore: SetSso['group_roles'] | readonly unknown[] | undefined,
  groups: SetSso['group_roles'],
): readonly string[] {
  const names = ['issuer', 'client_id', 'scopes', 'group_claim', 'default_role', 'enabled', 'sso_only'] as const;
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  return [
    ...names.filter((name) => differs(before?.[name], row[name])),
    ...((before?.sealed_secret ?? null) === row.sealed_secret ? [] : ['client_secret']),
    ...(differs(groupsBefore ?? [], groups) ? ['group_roles'] : []),
  ];
}

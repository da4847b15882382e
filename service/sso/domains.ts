import { randomBytes } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { recordAudit } from '../audit/record.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { normalDomain } from '../teams/policies.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { type DomainRow, toDomain } from './domain-rows.ts';
import { checkAgain } from './missing-records.ts';
import { hasRecord } from './txt-records.ts';

/** The domains of a Team, each proved by a TXT record (contract/sso.md §3). */
export const domainHandlers: HandlersOf<'addSsoDomain' | 'checkSsoDomain' | 'removeSsoDomain'> = {
  addSsoDomain: creation(
    async ({ params }, context) => await teamAccess(context, params.team_id, 'sso.manage'),
    async ({ body }, { db, now }, { teamId }) => {
      const domain = normalDomain(body.domain);
      if (domain === null) throw new ApiError('invalid_request', { detail: `domain: ${body.domain} is no domain, such as example.com.` });
      return await inTransaction(db, async (trx) => {
        await lockTeam(trx, teamId);
        const others = await trx.selectFrom('sso_domains').select('domain').where('team_id', '=', teamId).execute();
        if (others.some((one) => one.domain === domain))
          throw new ApiError('already_exists', { detail: `${domain} is in the list already.` });
        if (others.length >= limits.ssoDomains)
          throw new ApiError('over_limit', { detail: `A Team has at most ${limits.ssoDomains} domains.` });
        const row: DomainRow = {
          id: newId(),
          team_id: teamId,
          domain,
          token: randomBytes(24).toString('base64url'),
          verified_at: null,
          checked_at: null,
          missing_since: null,
          created_at: now(),
        };
        await trx.insertInto('sso_domains').values(row).execute();
        return toDomain(row);
      });
    },
  ),

  async checkSsoDomain({ params }, context) {
    const { db, now, resolveTxt } = context;
    const { teamId } = await teamAccess(context, params.team_id, 'sso.manage');
    const row = await ownDomain(context, teamId, params.domain_id);
    const found = await hasRecord(resolveTxt, row);
    if (found === null) {
      throw new ApiError('state_conflict', { detail: `The name servers of ${row.domain} do not answer now. Try again in some minutes.` });
    }
    if (!found && row.verified_at !== null) return toDomain(await checkAgain(context, row, false));
    if (!found) {
      await db.updateTable('sso_domains').set({ checked_at: now() }).where('id', '=', row.id).execute();
      throw new ApiError('state_conflict', {
        detail: `${row.domain} has no such TXT record yet. A new record can take up to a day until it is seen everywhere.`,
      });
    }
    if (row.verified_at === null) await freeFrom(context, row);
    return toDomain(await verified(context, row));
  },

  async removeSsoDomain({ params }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'sso.manage');
    const row = await ownDomain(context, teamId, params.domain_id);
    await context.db.deleteFrom('sso_domains').where('id', '=', row.id).execute();
  },
};

async function ownDomain({ db }: Pick<Context, 'db'>, teamId: string, id: string): Promise<DomainRow> {
  const row = await db.selectFrom('sso_domains').selectAll().where('id', '=', id).where('team_id', '=', teamId).executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'domain' });
  return row;
}

/** Another Team that has the domain loses it if its own record is gone: the domain has changed hands. */
async function freeFrom(context: Context, { domain, team_id: teamId }: DomainRow): Promise<void> {
  const { db, resolveTxt } = context;
  const holder = await db
    .selectFrom('sso_domains')
    .selectAll()
    .where('domain', '=', domain)
    .where('team_id', '!=', teamId)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  if (holder && (await hasRecord(resolveTxt, holder)) === false) await checkAgain(context, holder, false, { atOnce: true });
}

async function verified(context: Context, row: DomainRow): Promise<DomainRow> {
  const { db, now } = context;
  try {
    return await inTransaction(db, async (trx) => {
      const at = now();
      const after = await trx
        .updateTable('sso_domains')
        .set({ verified_at: row.verified_at ?? at, checked_at: at, missing_since: null })
        .where('id', '=', row.id)
        .returningAll()
        .executeTakeFirst();
      if (!after) throw new ApiError('not_found', { resource: 'domain' });
      const target = { kind: 'sso_domain', id: row.id, name: row.domain };
      if (row.verified_at === null) await recordAudit(trx, context, row.team_id, { action: 'sso.domain_verified', target });
      return after;
    });
  } catch (error) {
    if (!violates(error, 'sso_domains_verified')) throw error;
    throw new ApiError('already_exists', {
      detail: `${row.domain} is verified for another Team, whose TXT record is still there. Remove that record first, then check again.`,
    });
  }
}

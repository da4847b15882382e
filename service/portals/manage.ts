import type { Kysely, Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { CreatePortal, Portal, UpdatePortal } from '#protocol/hosted/portals.ts';
import { hashPassword } from '../accounts/passwords.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { ownImage } from '../images/own-image.ts';
import { distinctRecipients } from '../packages/create.ts';
import { storeLimits } from '../quotas/limits.ts';
import { type TeamAccess, teamAccess } from '../teams/access.ts';
import { daysOf, readPolicies, requirePassword, requireRecipients } from '../teams/policies.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireUnchanged } from '../unchanged.ts';
import { attach, checkSwitch, tagOf, teamspaceOf } from './attachments.ts';
import { deleteTotals } from './package-totals.ts';
import { type PortalRow, wholePortal } from './row.ts';
import { limitsTotals, restrictionsOf } from './rules.ts';
import { applySettings, defaultSettings, type PasswordChange, type PortalSettings } from './settings.ts';

/** The Portal, if the caller's role manages Portals in its Team. `not_found`, `not_allowed`, `team_inactive`. */
export async function managedPortal(context: Context<Actor>, portalId: string, db: Kysely<Database> = context.db): Promise<PortalRow> {
  const row = await db.selectFrom('portals').selectAll().where('id', '=', portalId).executeTakeFirst();
  await resourceAccess({ ...context, db }, 'Portal', row?.team_id, 'integrations.manage');
  return row!;
}

/** Makes a Portal for somebody who may. Errors: `already_exists`, `not_found` and `invalid_request` naming the field, `over_limit`. */
export async function makePortal(context: Context<Actor>, { teamId, userId }: TeamAccess, body: CreatePortal): Promise<Portal> {
  const { now } = context;
  checkSwitch(body);
  const { settings, password } = applySettings({ ...defaultSettings, name: body.name, subdomain: body.subdomain }, body);
  const passwordHash = await hashOf(password, null);
  return await inTransaction(context.db, async (trx) => {
    await checkRecipients(trx, teamId, settings);
    await checkPolicies(trx, teamId, settings, body);
    const row = {
      id: newId(),
      team_id: teamId,
      created_by: userId,
      ...stored(settings),
      download_password_hash: passwordHash,
      teamspace_id: (await teamspaceOf(trx, teamId, body.teamspace_id, null)) ?? null,
      tag_id: (await tagOf(trx, teamId, body.tag)) ?? null,
      ...(await imagesOf(trx, { teamId, urls: context.urls }, settings)),
      created_at: now(),
      updated_at: now(),
    };
    const made = await unlessTaken(settings.subdomain, () =>
      trx.insertInto('portals').values(row).returningAll().executeTakeFirstOrThrow(),
    );
    await attach(trx, { id: row.id, teamId }, body);
    await storePortalLimit(trx, made, true);
    return await wholePortal(trx, made);
  });
}

/** Portals as their Team manages them (contract/portals.md §1, §3). */
export const manageHandlers: HandlersOf<'createPortal' | 'updatePortal' | 'deletePortal'> = {
  createPortal: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    ({ body }, context, access) => makePortal(context, access, body),
  ),

  async updatePortal({ params, body }, context) {
    const { teamId } = await seen(context, params.portal_id);
    const changed = await inTransaction(context.db, (trx) => update(context, trx, params.portal_id, teamId, body));
    context.caches.portalRules.delete(params.portal_id);
    context.credentials.invalidatePackagePermissions();
    return changed;
  },

  async deletePortal({ params }, context) {
    const { db } = context;
    await managedPortal(context, params.portal_id);
    const { numDeletedRows } = await db.deleteFrom('portals').where('id', '=', params.portal_id).executeTakeFirst();
    context.caches.portalRules.delete(params.portal_id);
    context.credentials.invalidatePackagePermissions();
    if (numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'Portal' });
  },
};

async function seen(context: Context<Actor>, portalId: string): Promise<{ readonly teamId: string }> {
  const row = await managedPortal(context, portalId);
  return { teamId: row.team_id };
}

/** Changes to one Portal are serialised, so that fields omitted in one keep the values set by the other. */
async function update(context: Context<Actor>, trx: Transaction<Database>, portalId: string, teamId: string, body: UpdatePortal) {
  const before = await trx.selectFrom('portals').selectAll().where('id', '=', portalId).forUpdate().executeTakeFirst();
  if (!before) throw new ApiError('not_found', { resource: 'Portal' });
  requireUnchanged(body.expected_updated_at, before, 'The Portal');
  const { settings, password } = applySettings(before, body);
  if (!limitsTotals(restrictionsOf(before)) && limitsTotals(restrictionsOf(settings))) await deleteTotals(trx, portalId);
  if (body.recipients || body.cc_recipients) await checkRecipients(trx, teamId, settings);
  await checkPolicies(trx, teamId, settings, body);
  const after = await unlessTaken(settings.subdomain, async () =>
    trx
      .updateTable('portals')
      .set({
        ...stored(settings),
        download_password_hash: await hashOf(password, before.download_password_hash),
        teamspace_id: await teamspaceOf(trx, teamId, body.teamspace_id, before.teamspace_id),
        tag_id: await tagOf(trx, teamId, body.tag),
        ...(await imagesOf(trx, { teamId, urls: context.urls }, settings, before)),
        updated_at: context.now(),
      })
      .where('id', '=', portalId)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  await attach(trx, { id: portalId, teamId }, body);
  if (Number(before.max_storage) !== Number(after.max_storage)) {
    await storePortalLimit(trx, after);
    await context.jobs.add(trx, 'quotas.count', { holder_id: portalId });
  }
  return await wholePortal(trx, after);
}

const storePortalLimit = (trx: Transaction<Database>, { id, team_id: teamId, max_storage: bytes }: PortalRow, isNew = false) =>
  storeLimits(trx, { teamId, portalId: id }, { storage: Number(bytes) === 0 ? null : Number(bytes), traffic: null }, isNew);

/** Settings in the form of the table's columns. */
export const stored = (settings: PortalSettings) => ({
  ...settings,
  max_package_size: Number(settings.max_package_size),
  max_file_size: Number(settings.max_file_size),
  max_file_count: Number(settings.max_file_count),
  max_storage: Number(settings.max_storage),
  terms_of_service: JSON.stringify(settings.terms_of_service),
});

/**
 * The uploaded images whose addresses the settings hold. An address that did not change keeps its image, also when the
 * service has another address by now.
 */
async function imagesOf(
  db: Kysely<Database>,
  team: Parameters<typeof ownImage>[1],
  { logo_url: logo, background_url: background }: PortalSettings,
  before?: PortalRow,
) {
  return {
    ...(logo !== before?.logo_url && { logo_image_id: await ownImage(db, team, 'logo_url', logo) }),
    ...(background !== before?.background_url && { background_image_id: await ownImage(db, team, 'background_url', background) }),
  };
}

async function hashOf(change: PasswordChange, before: string | null): Promise<string | null> {
  switch (change.kind) {
    case 'keep':
      return before;
    case 'none':
      return null;
    case 'set':
      return await hashPassword(change.password);
  }
}

/** Each upload is mailed to all of them, so the Team's limit for one package applies to a Portal too. */
async function checkRecipients(db: Kysely<Database>, teamId: string, settings: PortalSettings): Promise<void> {
  const team = await db.selectFrom('teams').select('max_email_recipients').where('id', '=', teamId).executeTakeFirstOrThrow();
  if (distinctRecipients([...settings.recipients, ...settings.cc_recipients]).length > team.max_email_recipients) {
    throw new ApiError('over_limit', { detail: `recipients: this Team sends to at most ${team.max_email_recipients} addresses at once.` });
  }
}

/**
 * What a Portal that takes uploads would send has to fit the Team's policies, since its visitors could not help it. The
 * Team is locked against a policy that begins meanwhile.
 */
async function checkPolicies(db: Kysely<Database>, teamId: string, settings: PortalSettings, sent: UpdatePortal): Promise<void> {
  const team = await readPolicies(db, teamId, true);
  const { custom_expiry_days: days } = sent;
  if (days !== undefined && days !== 0 && team.max_expiry_days > 0 && (days < 0 || days > team.max_expiry_days)) {
    const most = daysOf(team.max_expiry_days);
    throw new ApiError('not_allowed', { detail: `custom_expiry_days: this Team keeps packages at most ${most}.` });
  }
  const recipients = [...settings.recipients, ...settings.cc_recipients];
  if (!settings.active || recipients.length === 0) return;
  requireRecipients(team, recipients, 'recipients');
  requirePassword(team, settings.has_download_password, 'download_password');
}

async function unlessTaken<T>(subdomain: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, 'portals_subdomain_key')) throw error;
    throw new ApiError(
      'already_exists',
      { detail: `subdomain: ${subdomain} is taken by another Portal. Choose another.` },
      { cause: error },
    );
  }
}

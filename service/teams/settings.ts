import type { Selectable, Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { TeamSettings, UpdateTeam } from '#protocol/hosted/teams.ts';
import { type AuditEvent, recordAudit } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { checkChunkSize } from '../files/chunk-plan.ts';
import type { HandlersOf } from '../handler.ts';
import { ownImage } from '../images/own-image.ts';
import { requireUnchanged } from '../unchanged.ts';
import { checkWebAddress } from '../web-address.ts';
import { formatDateTime } from '../wire-times.ts';
import { teamAccess } from './access.ts';
import { daysOf, foreignAddresses, normalDomain } from './policies.ts';
import { noteStoragePrice } from './storage-prices.ts';

type TeamRow = Selectable<Database['teams']>;

const settingColumns = [
  'name',
  'primary_color',
  'logo_url',
  'background_url',
  'imprint_url',
  'privacy_url',
  'custom_expiry_enabled',
  'custom_expiry_default',
  'max_expiry_days',
  'download_limit_enabled',
  'download_limit_default',
  'chunk_size_default',
  'password_required',
  'public_links_allowed',
  'verify_recipient_default',
  'verify_recipient_required',
  'mfa_required',
  'virus_policy',
  'recipient_domains',
  'mail_language',
  'notify_default',
  'storage_price',
  'storage_currency',
  'audit_retention_days',
] as const satisfies readonly (keyof UpdateTeam & keyof TeamRow)[];

type Settings = Pick<TeamRow, (typeof settingColumns)[number]>;

/** A Team's branding, defaults and policies (contract/teams-and-members.md §6). */
export const settingsHandlers: HandlersOf<'getTeam' | 'updateTeam'> = {
  async getTeam({ params }, context) {
    await teamAccess(context, params.team_id, 'team.manage');
    return toSettings(await context.db.selectFrom('teams').selectAll().where('id', '=', params.team_id).executeTakeFirstOrThrow());
  },

  async updateTeam({ params, body }, context) {
    const { db, storage, now } = context;
    const { teamId, userId } = await teamAccess(context, params.team_id, 'team.manage');
    if (body.chunk_size_default) checkChunkSize(body.chunk_size_default, storage.limits);
    return await inTransaction(db, async (trx) => {
      // Portals are saved under a share lock on their Team, so none gets past a policy that begins now.
      const before = await trx.selectFrom('teams').selectAll().where('id', '=', teamId).forNoKeyUpdate().executeTakeFirstOrThrow();
      requireUnchanged(body.expected_updated_at, before, 'The Team');
      const settings = applySettings(before, body);
      await requireFittingPortals(trx, teamId, before, settings);
      if (settings.mfa_required && !before.mfa_required) await requireOwnFactor(trx, userId);
      const after = await trx
        .updateTable('teams')
        .set({ ...settings, ...(await imagesOf(trx, { teamId, urls: context.urls }, settings, before)), updated_at: now() })
        .where('id', '=', teamId)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (before.storage_price !== after.storage_price || before.storage_currency !== after.storage_currency) {
        await noteStoragePrice(trx, teamId, { price: after.storage_price, currency: after.storage_currency }, now());
      }
      await recordAudit(trx, context, teamId, teamChange(before, after));
      return toSettings(after);
    });
  },
};

function toSettings(row: TeamRow): TeamSettings {
  return {
    id: row.id,
    subdomain: row.subdomain,
    ...settingsOf(row),
    max_email_recipients: row.max_email_recipients,
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

const settingsOf = (row: TeamRow): Settings => Object.fromEntries(settingColumns.map((name) => [name, row[name]])) as unknown as Settings;

/** The uploaded images whose addresses the settings hold. An address that did not change keeps its image. */
async function imagesOf(
  trx: Transaction<Database>,
  team: Parameters<typeof ownImage>[1],
  { logo_url: logo, background_url: background }: Settings,
  before: TeamRow,
) {
  return {
    ...(logo !== before.logo_url && { logo_image_id: await ownImage(trx, team, 'logo_url', logo) }),
    ...(background !== before.background_url && { background_image_id: await ownImage(trx, team, 'background_url', background) }),
  };
}

/** What the audit log tells: each changed setting, before and after. */
function teamChange(before: TeamRow, after: TeamRow): AuditEvent {
  const changed = settingColumns.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return {
    action: 'team.changed',
    target: { kind: 'team', id: after.id, name: after.name },
    details: Object.fromEntries(changed.map((name) => [name, { before: before[name], after: after[name] }])),
  };
}

/** Applies the sent settings to the present ones; those that are left out stay. Error: `invalid_request` naming the field. */
export function applySettings(before: TeamRow, sent: UpdateTeam): Settings {
  const present = settingsOf(before);
  const given = Object.fromEntries(settingColumns.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])));
  const settings = { ...present, ...given } as Settings;
  for (const field of ['logo_url', 'background_url', 'imprint_url', 'privacy_url'] as const) checkWebAddress(field, settings[field]);
  if (sent.custom_expiry_default === 0) refuse('custom_expiry_default', 'give at least a day, or -1 to keep packages for ever');
  const { audit_retention_days: kept } = settings;
  if (kept !== 0 && kept < 30) refuse('audit_retention_days', 'give at least 30 days, or 0 to keep the audit log for ever');
  if (settings.storage_price > 0 && settings.storage_currency === '')
    refuse('storage_currency', 'name the currency of storage_price, such as EUR');
  const { max_expiry_days: most, custom_expiry_default: usual } = settings;
  if (most > 0 && settings.custom_expiry_enabled && (usual < 0 || usual > most)) {
    refuse('custom_expiry_default', `it is longer than max_expiry_days, ${daysOf(most)}`);
  }
  return { ...settings, recipient_domains: [...new Set(settings.recipient_domains.map(domainOf))] };
}

function domainOf(domain: string, index: number): string {
  return normalDomain(domain) ?? refuse(`recipient_domains[${index}]`, `${domain} is no domain, such as example.com`);
}

function refuse(field: string, detail: string): never {
  throw new ApiError('invalid_request', { detail: `${field}: ${detail}.` });
}

/** Portals named in a refusal. */
const portalsNamed = 5;

/**
 * Refuses a policy that a Portal in use would break: its visitors could not help it. So whoever sets the policy changes
 * those Portals first. Error: `state_conflict`.
 */
async function requireFittingPortals(trx: Transaction<Database>, teamId: string, before: Settings, after: Settings): Promise<void> {
  const needsPassword = after.password_required && !before.password_required;
  const fewerDomains = after.recipient_domains.length > 0 && before.recipient_domains.join() !== after.recipient_domains.join();
  if (!needsPassword && !fewerDomains) return;
  const portals = await trx
    .selectFrom('portals')
    .select(['name', 'recipients', 'cc_recipients', 'has_download_password'])
    .where('team_id', '=', teamId)
    .where('active', '=', true)
    .orderBy('id')
    .execute();
  const sending = portals.filter((portal) => portal.recipients.length + portal.cc_recipients.length > 0);
  if (needsPassword) {
    const open = sending.filter((portal) => !portal.has_download_password);
    refusePortals('password_required', open, 'mail links without a password', 'Give them a download password first.');
  }
  if (!fewerDomains) return;
  const elsewhere = sending.filter((portal) => foreignAddresses(after, [...portal.recipients, ...portal.cc_recipients]).length > 0);
  refusePortals('recipient_domains', elsewhere, 'have recipients of other domains', 'Change their recipients first.');
}

/** Whoever demands a second factor has one: else the demand would keep them out at once. Error: `state_conflict`. */
async function requireOwnFactor(trx: Transaction<Database>, userId: string): Promise<void> {
  const user = await trx.selectFrom('users').select('mfa_since').where('id', '=', userId).executeTakeFirst();
  if (user?.mfa_since) return;
  throw new ApiError('state_conflict', {
    detail: 'mfa_required: you have no second factor yourself, so you would keep yourself out. Add one in your profile first.',
  });
}

function refusePortals(field: string, portals: readonly { readonly name: string }[], fault: string, remedy: string): void {
  if (portals.length === 0) return;
  const named = portals.slice(0, portalsNamed).map((portal) => portal.name);
  const more = portals.length > portalsNamed ? ` and ${portals.length - portalsNamed} more` : '';
  throw new ApiError('state_conflict', { detail: `${field}: these Portals ${fault}: ${named.join(', ')}${more}. ${remedy}` });
}

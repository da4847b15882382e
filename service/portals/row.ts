import { type Kysely, type Selectable, sql } from 'kysely';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { Portal, PortalCover, PublicPortal } from '#protocol/hosted/portals.ts';
import { parseNamePattern, sampleName } from '#protocol/name-pattern.ts';
import type { Database } from '../database/schema/database.ts';
import { formatDateTime } from '../wire-times.ts';
import { hiddenPassword } from './settings.ts';

/** A name of the pattern; empty for any name. */
const sampleNameOf = (source: string): string => {
  const parsed = parseNamePattern(source);
  return parsed.ok ? sampleName(parsed.pattern) : '';
};

export type PortalRow = Selectable<Database['portals']>;

/** The data of one Portal in other tables. */
interface Attached {
  readonly connections: Portal['cloud_connections'];
  readonly webhooks: Portal['custom_webhooks'];
  readonly accessList: readonly string[];
  readonly tag: Selectable<Database['tags']> | null;
  /** The fields of its form, if that is enabled, in render order. */
  readonly formFields: readonly FormField[] | null;
  /** Bytes of its limit of storage that are used; null where it has none, and until it is counted. */
  readonly storageUsed: number | null;
}

/** In display order. */
export const inOrder = (fields: readonly FormField[]): FormField[] => fields.toSorted((a, b) => a.position - b.position);

/** The fields of a Portal's enabled form; null if it has none. */
export async function enabledFields(db: Kysely<Database>, portalId: string): Promise<FormField[] | null> {
  const form = await db
    .selectFrom('forms')
    .select('fields')
    .where('portal_id', '=', portalId)
    .where('disabled', '=', false)
    .executeTakeFirst();
  return form ? inOrder(form.fields) : null;
}

/**
 * The attachments of each given Portal, by one statement per kind. Deleted connections and webhooks, and users who
 * have left the Team, are omitted.
 */
export async function readAttached(db: Kysely<Database>, portals: readonly PortalRow[]): Promise<(portal: PortalRow) => Attached> {
  if (portals.length === 0)
    return () => ({ connections: [], webhooks: [], accessList: [], tag: null, formFields: null, storageUsed: null });
  const ids = portals.map((portal) => portal.id);
  const ours = (column: 'portal_connections.portal_id' | 'portal_webhooks.portal_id' | 'portal_access.portal_id' | 'forms.portal_id') =>
    sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`;
  const tagIds = [...new Set(portals.flatMap((portal) => portal.tag_id ?? []))];
  // Sequential: in a transaction they share a connection.
  const connections = await db
    .selectFrom('portal_connections')
    .innerJoin('cloud_connections', 'cloud_connections.id', 'connection_id')
    .select(['portal_id', 'connection_id', 'target_action', 'filter_id'])
    .where(ours('portal_connections.portal_id'))
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .execute();
  const webhooks = await db
    .selectFrom('portal_webhooks')
    .innerJoin('custom_webhooks', 'custom_webhooks.id', 'webhook_id')
    .select(['portal_id', 'webhook_id'])
    .where(ours('portal_webhooks.portal_id'))
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .execute();
  const access = await db
    .selectFrom('portal_access')
    .innerJoin('portals', 'portals.id', 'portal_id')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.team_id', '=', 'portals.team_id').onRef('memberships.user_id', '=', 'portal_access.user_id'),
    )
    .select(['portal_id', 'portal_access.user_id'])
    .where(ours('portal_access.portal_id'))
    .orderBy('portal_access.user_id')
    .execute();
  const forms = await db
    .selectFrom('forms')
    .select(['portal_id', 'fields'])
    .where(ours('forms.portal_id'))
    .where('disabled', '=', false)
    .execute();
  const quotas = await db
    .selectFrom('quotas')
    .select(['holder_id', 'storage_used'])
    .where(sql<boolean>`holder_id = any(${ids}::uuid[])`)
    .where('counted', '=', true)
    .execute();
  const tags =
    tagIds.length === 0 ? [] : await db.selectFrom('tags').selectAll().where(sql<boolean>`id = any(${tagIds}::uuid[])`).execute();
  const connectionsOf = Map.groupBy(connections, (one) => one.portal_id);
  const webhooksOf = Map.groupBy(webhooks, (one) => one.portal_id);
  const accessOf = Map.groupBy(access, (one) => one.portal_id);
  const formOf = new Map(forms.map((form) => [form.portal_id, inOrder(form.fields)]));
  const usedOf = new Map(quotas.map((quota) => [quota.holder_id, Number(quota.storage_used)]));
  const tagOf = new Map(tags.map((tag) => [tag.id, tag]));
  return ({ id, tag_id }) => ({
    connections: (connectionsOf.get(id) ?? []).map(({ connection_id, target_action, filter_id }) => ({
      id: connection_id,
      target_action,
      ...(filter_id !== null && { filter_id }),
    })),
    webhooks: (webhooksOf.get(id) ?? []).map(({ webhook_id }) => ({ id: webhook_id })),
    accessList: (accessOf.get(id) ?? []).map(({ user_id }) => user_id),
    tag: tagOf.get(tag_id ?? '') ?? null,
    formFields: formOf.get(id) ?? null,
    storageUsed: usedOf.get(id) ?? null,
  });
}

/** The fields that everybody who can see the Portal may see. */
function shown(row: PortalRow, formFields: readonly FormField[] | null) {
  return {
    id: row.id,
    name: row.name,
    subdomain: row.subdomain,
    message: row.message,
    active: row.active,
    has_access_code: row.has_access_code,
    terms_of_service_enabled: row.terms_of_service_enabled,
    terms_of_service: row.terms_of_service,
    package_size_restriction_enabled: row.package_size_restriction_enabled,
    max_package_size: Number(row.max_package_size),
    max_file_size: Number(row.max_file_size),
    max_file_count: Number(row.max_file_count),
    file_type_restriction_enabled: row.file_type_restriction_enabled,
    file_types: row.file_types,
    expiry_enabled: row.expiry_enabled,
    expiry: formatDateTime(row.expiry),
    primary_color: row.primary_color,
    logo_url: row.logo_url,
    background_url: row.background_url,
    name_pattern: row.name_pattern,
    name_pattern_label: row.name_pattern_label,
    name_pattern_example: row.name_pattern_example,
    ...(formFields && { custom_metadata: [...formFields] }),
  };
}

/** The data for the upload page. The form's hidden fields are not shown to senders. */
export function toPublicPortal(row: PortalRow, formFields: readonly FormField[] | null, team: TeamBranding): PublicPortal {
  const asked = formFields?.filter((field) => field.visibility !== 'hidden') ?? null;
  return {
    ...shown(row, asked),
    ...toCover(row, team),
    name_pattern_example: row.name_pattern_example || sampleNameOf(row.name_pattern),
  };
}

/** The data that anybody with the Portal's address may see (contract/portals.md §2). */
export function toCover(
  row: Pick<PortalRow, 'name' | 'message' | 'primary_color' | 'logo_url' | 'background_url'>,
  team: TeamBranding,
): PortalCover {
  return {
    name: row.name,
    message: row.message,
    // What the Portal leaves open is the Team's.
    primary_color: row.primary_color || team.primary_color,
    logo_url: row.logo_url || team.logo_url,
    background_url: row.background_url || team.background_url,
    ...(team.imprint_url !== '' && { imprint_url: team.imprint_url }),
    ...(team.privacy_url !== '' && { privacy_url: team.privacy_url }),
  };
}

type TeamBranding = Pick<Selectable<Database['teams']>, 'primary_color' | 'logo_url' | 'background_url' | 'imprint_url' | 'privacy_url'>;

export async function readBranding(db: Kysely<Database>, teamId: string): Promise<TeamBranding> {
  return await db
    .selectFrom('teams')
    .select(['primary_color', 'logo_url', 'background_url', 'imprint_url', 'privacy_url'])
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
}

/** The whole Portal, for its Team (contract/portals.md §2). */
export function toPortal(row: PortalRow, attached: Attached): Portal {
  const { tag, storageUsed } = attached;
  return {
    ...shown(row, attached.formFields),
    team_id: row.team_id,
    max_storage: Number(row.max_storage),
    ...(storageUsed !== null && { storage_used: storageUsed }),
    access_code: row.access_code,
    recipients: row.recipients,
    cc_recipients: row.cc_recipients,
    has_download_password: row.has_download_password,
    download_password: row.has_download_password ? hiddenPassword : '',
    custom_expiry_days: row.custom_expiry_days ?? 0,
    access_level: row.access_level,
    access_list: [...attached.accessList],
    teamspace_id: row.teamspace_id ?? '',
    cloud_connections: [...attached.connections],
    custom_webhooks: [...attached.webhooks],
    ...(tag && {
      tag: {
        id: tag.id,
        name: tag.name,
        team_id: tag.team_id,
        active: tag.active,
        created_at: formatDateTime(tag.created_at),
        updated_at: formatDateTime(tag.updated_at),
      },
    }),
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

/** The whole Portal, including its attachments. */
export async function wholePortal(db: Kysely<Database>, row: PortalRow): Promise<Portal> {
  return toPortal(row, (await readAttached(db, [row]))(row));
}

import { type Kysely, type Selectable, sql } from 'kysely';
import type { Package, PackageFindings } from '#protocol/hosted/packages.ts';
import type { Database } from '../database/schema/database.ts';
import { formatDateTime } from '../wire-times.ts';

interface Names {
  readonly tag_name: string | null;
  readonly teamspace_name: string | null;
  readonly portal_name: string | null;
}

/** A package's row with the names of its tag, Teamspace and Portal, without columns that only jobs use. */
export type PackageRow = Omit<Selectable<Database['packages']>, 'free_asked_at' | 'expiry_told'> & Names;

/** The columns of a record. */
const recordColumns = [
  'id',
  'name',
  'description',
  'sender',
  'recipients',
  'size',
  'total_files',
  'state',
  'expiry',
  'custom_expiry',
  'unlimited_storage',
  'access_limit',
  'password_hash',
  'contains_virus',
  'form_response_id',
  'teamspace_id',
  'tag_id',
  'portal_id',
  'chunk_size',
  'usage_total_bytes',
  'created_at',
  'updated_at',
  'finalized_at',
  'deleted_at',
  'notify',
  'verify_recipient',
  'held_at',
  'hold_reason',
] as const satisfies readonly (keyof PackageRow)[];

export type RecordRow = Pick<PackageRow, (typeof recordColumns)[number]> & Names;

export function selectPackages(db: Kysely<Database>) {
  return db
    .selectFrom('packages')
    .leftJoin('tags', 'tags.id', 'packages.tag_id')
    .leftJoin('teamspaces', 'teamspaces.id', 'packages.teamspace_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .selectAll('packages')
    .select(['tags.name as tag_name', 'teamspaces.name as teamspace_name', 'portals.name as portal_name']);
}

/**
 * The columns of a record for statements that Kysely does not build; names as subqueries, which are quicker to plan
 * than joins.
 */
export const packageColumns = sql`${sql.raw(recordColumns.map((column) => `packages.${column}`).join(', '))},
  (select tags.name from tags where tags.id = packages.tag_id) as tag_name,
  (select teamspaces.name from teamspaces where teamspaces.id = packages.teamspace_id) as teamspace_name,
  (select portals.name from portals where portals.id = packages.portal_id) as portal_name`;

/**
 * A package's record (contract/packages.md §6). `recipients` is a separate parameter, since not every viewer may see
 * all of them. `ofTeam`: who sees it is of the Team, by whose credential it was asked for.
 */
export function toPackage(
  row: RecordRow,
  viewer: {
    readonly accessToken: string;
    readonly recipients: readonly string[];
    readonly ofTeam?: boolean;
    readonly findings?: PackageFindings;
  },
): Package {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    sender: row.sender,
    recipients: [...viewer.recipients],
    size: Number(row.size),
    total_files: row.total_files,
    state: row.state,
    expiry: formatDateTime(row.expiry),
    custom_expiry: row.custom_expiry,
    unlimited_storage: row.unlimited_storage,
    access_limit: row.access_limit,
    password: row.password_hash === null ? '' : '****',
    access_token: viewer.accessToken,
    contains_virus: row.contains_virus,
    custom_metadata_id: row.form_response_id ?? '',
    ...(row.teamspace_id !== null && { teamspace: { id: row.teamspace_id, name: row.teamspace_name ?? '' } }),
    ...(row.tag_id !== null && { tag: { id: row.tag_id, name: row.tag_name ?? '' } }),
    ...(row.portal_id !== null && { portal_id: row.portal_id, portal_name: row.portal_name ?? '' }),
    chunk_size: Number(row.chunk_size),
    usage_total_bytes: Number(row.usage_total_bytes),
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
    ...(row.finalized_at !== null && { finalized_at: formatDateTime(row.finalized_at) }),
    ...(row.deleted_at !== null && { deleted_at: formatDateTime(row.deleted_at) }),
    notify: [...row.notify],
    verify_recipient: row.verify_recipient,
    ...(viewer.ofTeam && row.held_at !== null && { hold: { since: formatDateTime(row.held_at), reason: row.hold_reason ?? '' } }),
    ...(viewer.findings && viewer.findings.length > 0 && { findings: viewer.findings }),
  };
}

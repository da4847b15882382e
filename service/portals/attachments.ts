import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { UpdatePortal } from '#protocol/hosted/portals.ts';
import type { Database } from '../database/schema/database.ts';
import { isId } from '../ids.ts';

/** The objects that a Portal refers to by id. All must belong to its Team: otherwise `not_found` naming the field. */

const missing = (what: string, field: string) => new ApiError('not_found', { resource: `${what} of this Team (in ${field})` });

function refuse(field: string, detail: string): never {
  throw new ApiError('invalid_request', { detail: `${field}: ${detail}.` });
}

/** The ids that exist in a table of the Team; locked, so that none is deleted before the commit. */
async function present(
  db: Kysely<Database>,
  table: 'cloud_connections' | 'custom_webhooks' | 'filters' | 'tags' | 'teamspaces',
  teamId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const possible = ids.filter(isId);
  if (possible.length === 0) return new Set();
  const softly = table === 'cloud_connections' || table === 'custom_webhooks';
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where id = any(${possible}::uuid[]) and team_id = ${teamId}
    ${softly ? sql`and deleted_at is null` : sql``} order by id for share`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/**
 * A Portal's Teamspace; null for none, undefined for the current one, which may be deleted by now: a Portal that is
 * sent back as it was read keeps its restricted visibility.
 */
export async function teamspaceOf(
  db: Kysely<Database>,
  teamId: string,
  id: string | undefined,
  before: string | null,
): Promise<string | null | undefined> {
  if (id === undefined || id === before) return undefined;
  if (id === '') return null;
  if (!(await present(db, 'teamspaces', teamId, [id])).has(id)) throw missing('Teamspace', 'teamspace_id');
  return id;
}

/** A Portal's tag; null for none, undefined for the current one. */
export async function tagOf(
  db: Kysely<Database>,
  teamId: string,
  tag: { readonly id: string } | undefined,
): Promise<string | null | undefined> {
  if (tag === undefined) return undefined;
  if (tag.id === '') return null;
  if (!(await present(db, 'tags', teamId, [tag.id])).has(tag.id)) throw missing('tag', 'tag.id');
  return tag.id;
}

/** A new Portal has no connections to keep, so a list without the switch, which would be ignored, is a mistake. */
export function checkSwitch({ configure_cloud_connections: configure, cloud_connections: list }: UpdatePortal): void {
  if (list?.length && !configure) {
    refuse('cloud_connections', 'they are attached only where configure_cloud_connections is true; set that, or leave them out');
  }
}

/** Replaces the attachments that the body names; omitted ones are kept. Within the Portal's transaction. */
export async function attach(
  db: Kysely<Database>,
  portal: { readonly id: string; readonly teamId: string },
  sent: UpdatePortal,
): Promise<void> {
  if (sent.access_list) await setAccessList(db, portal, sent.access_list);
  if (sent.custom_webhooks) await setWebhooks(db, portal, sent.custom_webhooks);
  // Connections are read only with this switch, so that clients without knowledge of them do not change them
  // (contract/portals.md §4).
  if (sent.configure_cloud_connections) await setConnections(db, portal, sent.cloud_connections ?? []);
}

type PortalKey = { readonly id: string; readonly teamId: string };

async function setAccessList(db: Kysely<Database>, { id, teamId }: PortalKey, list: readonly string[]): Promise<void> {
  const users = [...new Set(list)];
  const members = await sql<{ user_id: string }>`
    select user_id from memberships where team_id = ${teamId} and user_id = any(${users.filter(isId)}::uuid[])`.execute(db);
  const known = new Set(members.rows.map((row) => row.user_id));
  const unknown = list.findIndex((user) => !known.has(user));
  if (unknown !== -1) throw missing('member', `access_list[${unknown}]`);
  await db.deleteFrom('portal_access').where('portal_id', '=', id).execute();
  await sql`insert into portal_access (portal_id, user_id) select ${id}::uuid, unnest(${users}::uuid[])`.execute(db);
}

async function setWebhooks(
  db: Kysely<Database>,
  { id, teamId }: PortalKey,
  list: NonNullable<UpdatePortal['custom_webhooks']>,
): Promise<void> {
  const ids = list.map((webhook) => webhook.id);
  checkDistinct('custom_webhooks', ids);
  const known = await present(db, 'custom_webhooks', teamId, ids);
  const unknown = ids.findIndex((one) => !known.has(one));
  if (unknown !== -1) throw missing('webhook', `custom_webhooks[${unknown}].id`);
  await db.deleteFrom('portal_webhooks').where('portal_id', '=', id).execute();
  if (ids.length === 0) return;
  await db
    .insertInto('portal_webhooks')
    .values(ids.map((webhook_id, position) => ({ portal_id: id, webhook_id, position })))
    .execute();
}

async function setConnections(
  db: Kysely<Database>,
  { id, teamId }: PortalKey,
  list: NonNullable<UpdatePortal['cloud_connections']>,
): Promise<void> {
  const ids = list.map((connection) => connection.id);
  checkDistinct('cloud_connections', ids);
  const known = await present(db, 'cloud_connections', teamId, ids);
  const unknown = ids.findIndex((one) => !known.has(one));
  if (unknown !== -1) throw missing('connection', `cloud_connections[${unknown}].id`);
  const filters = await present(
    db,
    'filters',
    teamId,
    list.flatMap((connection) => connection.filter_id ?? []),
  );
  const noFilter = list.findIndex(({ filter_id }) => filter_id !== undefined && !filters.has(filter_id));
  if (noFilter !== -1) throw missing('filter', `cloud_connections[${noFilter}].filter_id`);
  await checkDirections(db, ids);
  await db.deleteFrom('portal_connections').where('portal_id', '=', id).execute();
  if (ids.length === 0) return;
  await db
    .insertInto('portal_connections')
    .values(
      list.map(({ id: connection_id, target_action, filter_id }, position) => ({
        portal_id: id,
        connection_id,
        position,
        target_action,
        filter_id: filter_id ?? null,
      })),
    )
    .execute();
}

/** Uploads are sent from the service to the provider; a connection that can only collect cannot receive them. */
async function checkDirections(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const wrong = await db
    .selectFrom('cloud_connections')
    .select('id')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('direction', '<>', 'service_to_cloud')
    .execute();
  const collecting = new Set(wrong.map((row) => row.id));
  const first = ids.findIndex((id) => collecting.has(id));
  if (first !== -1) refuse(`cloud_connections[${first}].id`, 'this connection only collects files (its direction is cloud_to_service)');
}

function checkDistinct(field: string, ids: readonly string[]): void {
  const again = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (again !== -1) refuse(`${field}[${again}].id`, 'it is named twice');
}

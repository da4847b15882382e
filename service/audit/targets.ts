import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { AuditTarget } from './record.ts';

/** What a call is about, as it was before the call. */
export interface FoundTarget {
  readonly teamId: string;
  readonly target: AuditTarget;
  /** What the entry may tell of it besides its name. */
  readonly was: Readonly<Record<string, unknown>>;
}

interface TargetRow {
  readonly team_id: string;
  readonly name: string;
  readonly was: Readonly<Record<string, unknown>> | null;
}

const ofTable = (table: string) => (id: string) =>
  sql<TargetRow>`select team_id, name, null::jsonb as was from ${sql.table(table)} where id = ${id}`;

/** One statement for each kind of target, by its id. */
const lookups = {
  api_key: ofTable('api_keys'),
  tag: ofTable('tags'),
  portal: ofTable('portals'),
  filter: ofTable('filters'),
  teamspace: ofTable('teamspaces'),
  connection: ofTable('cloud_connections'),
  form_template: ofTable('form_templates'),
  gateway: ofTable('storage_gateways'),
  package: ofTable('packages'),
  sso_domain: (id) => sql`select team_id, domain as name, null::jsonb as was from sso_domains where id = ${id}`,
  image: (id) => sql`select team_id, '' as name, null::jsonb as was from images where id = ${id}`,
  webhook: (id) =>
    sql`select team_id, coalesce(nullif(name, ''), substring(url from '^https?://(?:[^/@]*@)?([^/?#]+)'), '') as name, null::jsonb as was from custom_webhooks where id = ${id}`,
  form: (id) => sql`
    select portals.team_id, forms.name, jsonb_build_object('portal', portals.name) as was
    from forms join portals on portals.id = forms.portal_id where forms.id = ${id}`,
  link: (id) => sql`
    select packages.team_id, links.email as name, jsonb_build_object('package_id', packages.id, 'package', packages.name) as was
    from links join packages on packages.id = links.package_id where links.id = ${id}`,
  member: (id) => sql`
    select team_id, users.email as name, jsonb_build_object('role', memberships.role) as was
    from memberships join users on users.id = memberships.user_id where memberships.id = ${id}
    union all
    select team_id, email, jsonb_build_object('role', role, 'state', 'invited') from invitations
    where id = ${id} and accepted_at is null and revoked_at is null`,
  teamspace_member: (id) => sql`
    select teamspaces.team_id, teamspaces.name, jsonb_build_object('member', users.email) as was
    from teamspace_members join teamspaces on teamspaces.id = teamspace_members.teamspace_id
    join users on users.id = teamspace_members.user_id where teamspace_members.id = ${id}`,
} as const satisfies Record<string, (id: string) => RawBuilder<TargetRow>>;

export type TargetKind = keyof typeof lookups;

/** Null for what is not there. Whether the caller may see it is the call's own business. */
export async function findTarget(db: Kysely<Database>, kind: TargetKind, id: string): Promise<FoundTarget | null> {
  const [row] = (await lookups[kind](id).execute(db)).rows as TargetRow[];
  if (!row) return null;
  return { teamId: row.team_id, target: { kind, id, name: row.name }, was: row.was ?? {} };
}

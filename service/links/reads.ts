import { createQueryId, type InferResult, type Kysely, sql } from 'kysely';
import { createBatches } from '../database/batches.ts';
import type { Database } from '../database/schema/database.ts';

/** A link with what its page shows of the package. */
export type OpenedLink = InferResult<ReturnType<typeof select>>[number];

export interface LinkReads {
  /** As the database has it when asked. A link that many are sent is opened by many at once: they share a statement. */
  read(linkId: string): Promise<OpenedLink | undefined>;
}

const batchSize = 100;

export function createLinkReads(db: Kysely<Database>): LinkReads {
  // Built once: it is always the same, but for the links asked for.
  const { query, sql: text } = select(db, []).compile();
  const run = async (ids: readonly string[]) => {
    const { rows } = await db.executeQuery<OpenedLink>({ query, sql: text, queryId: createQueryId(), parameters: [[...new Set(ids)]] });
    const found = new Map(rows.map((link) => [link.id, link]));
    return ids.map((id) => found.get(id));
  };
  return { read: createBatches({ run, max: batchSize }) };
}

function select(db: Kysely<Database>, ids: readonly string[]) {
  return db
    .selectFrom('links')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .select([
      'links.id',
      'links.secret',
      'links.email',
      'links.password_hash',
      'links.expiry as linkExpiry',
      'links.disabled_at as disabledAt',
      'links.access_limit',
      'links.accesses',
      'packages.id as package_id',
      'packages.name',
      'packages.size',
      'packages.sender',
      'packages.state as packageState',
      'packages.expiry as packageExpiry',
      'portals.name as portalName',
      'portals.primary_color as portalColor',
      'portals.logo_url as portalLogo',
      'portals.background_url as portalBackground',
    ])
    .where('links.id', '=', sql<string>`any(${ids}::uuid[])`);
}

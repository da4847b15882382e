import { createQueryId, type InferResult, type Kysely } from 'kysely';
import { createBatches } from '../database/batches.ts';
import type { Database } from '../database/schema/database.ts';

/** A link with what its page shows of the package. */
export type OpenedLink = InferResult<ReturnType<typeof select>>[number];

export interface LinkReads {
  /** As the database has it when asked. A link that many are sent is opened by many at once: they share a statement. */
  read(linkId: string): Promise<OpenedLink | undefined>;
}

/** Links in one statement; also how many parameters it has, whatever the number asked for. */
const batchSize = 16;

/**
 * Each statement has its links one by one. Of a list (`any($1)`) PostgreSQL knows the length only when it is asked, so it
 * plans anew each time: four fifths of what the statement cost it (decision 0035).
 */
export function createLinkReads(db: Kysely<Database>): LinkReads {
  // Built once: they are always the same, but for the links asked for.
  const lone = select(db, 1).compile();
  const many = select(db, batchSize).compile();
  const run = async (ids: readonly string[]) => {
    const asked = [...new Set(ids)];
    const { query, sql } = asked.length === 1 ? lone : many;
    const parameters = asked.length === 1 ? asked : Array.from({ length: batchSize }, (_, at) => asked[at] ?? asked[0]);
    const { rows } = await db.executeQuery<OpenedLink>({ query, sql, queryId: createQueryId(), parameters });
    const found = new Map(rows.map((link) => [link.id, link]));
    return ids.map((id) => found.get(id));
  };
  return { read: createBatches({ run, max: batchSize }) };
}

function select(db: Kysely<Database>, links: number) {
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
    .where('links.id', 'in', Array<string>(links).fill(''));
}

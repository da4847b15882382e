import { createQueryId, type InferResult, type Kysely, sql } from 'kysely';
import { createBatcher } from '../database/batcher.ts';
import type { Database } from '../database/schema/database.ts';
import { virusPolicy } from '../viruses/policy.ts';

/** A link with the package data that its page shows. */
export type OpenedLink = InferResult<ReturnType<typeof select>>[number];

export interface LinkReads {
  /**
   * The current state in the database. A link sent to many people is opened by many at once: concurrent reads are
   * batched into one statement.
   */
  read(linkId: string): Promise<OpenedLink | undefined>;
}

/** Maximum links per statement. The statement always has this many parameters, whatever the number of links. */
const batchSize = 16;

/**
 * Each statement lists its links as separate parameters. For a list (`any($1)`), PostgreSQL knows the length only at
 * execution and plans each time: four fifths of the statement's cost (decision 0035).
 */
export function createLinkReads(db: Kysely<Database>): LinkReads {
  // Compiled once: only the parameters differ.
  const lone = select(db, 1).compile();
  const many = select(db, batchSize).compile();
  const run = async (ids: readonly string[]) => {
    const asked = [...new Set(ids)];
    const { query, sql: text } = asked.length === 1 ? lone : many;
    const parameters = asked.length === 1 ? asked : Array.from({ length: batchSize }, (_, at) => asked[at] ?? asked[0]);
    const { rows } = await db.executeQuery<OpenedLink>({ query, sql: text, queryId: createQueryId(), parameters });
    const found = new Map(rows.map((link) => [link.id, link]));
    return ids.map((id) => found.get(id));
  };
  return { read: createBatcher({ run, max: batchSize }) };
}

function select(db: Kysely<Database>, links: number) {
  return db
    .selectFrom('links')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .select([
      'links.id',
      'links.secret',
      'links.email',
      'links.password_hash',
      'links.verify_recipient',
      'links.expiry as linkExpiry',
      'links.disabled_at as disabledAt',
      'links.access_limit',
      'links.accesses',
      'packages.id as package_id',
      'packages.name',
      'packages.description',
      'packages.size',
      'packages.sender',
      'packages.state as packageState',
      'packages.expiry as packageExpiry',
      'packages.deleted_at as deletedAt',
      virusPolicy,
      'portals.name as portalName',
      'teams.name as teamName',
      'teams.imprint_url',
      'teams.privacy_url',
      // What a Portal leaves open is the Team's.
      sql<string>`coalesce(nullif(portals.primary_color, ''), teams.primary_color)`.as('portalColor'),
      sql<string>`coalesce(nullif(portals.logo_url, ''), teams.logo_url)`.as('portalLogo'),
      sql<string>`coalesce(nullif(portals.background_url, ''), teams.background_url)`.as('portalBackground'),
      sql<string | null>`case when portals.logo_url <> '' then portals.logo_image_id else teams.logo_image_id end`.as('portalLogoImage'),
      sql<string | null>`case when portals.background_url <> '' then portals.background_image_id else teams.background_image_id end`.as(
        'portalBackgroundImage',
      ),
    ])
    .where('links.id', 'in', Array<string>(links).fill(''));
}

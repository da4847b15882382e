import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Download } from '#protocol/hosted/downloads.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { isWanted } from '../notices/record.ts';
import { managePackage } from '../packages/access.ts';
import { formatDateTime } from '../wire-times.ts';

interface StartedDownload {
  readonly packageId: string;
  readonly linkId: string;
  readonly tokenId: string;
  /** Whether the token's holder proved that the link's address is theirs. */
  readonly verified: boolean;
}

/** Longer names of programs are cut. */
const userAgentLength = 200;

/**
 * Records that a read token starts a download (contract/links.md §6): once for a token, however many files it asks for.
 * The first one by a link is noted with it, for whoever wants to hear of it.
 */
export async function recordDownload(
  { db, caches, now, source, jobs }: Pick<Context, 'db' | 'caches' | 'now' | 'source' | 'jobs'>,
  { packageId, linkId, tokenId, verified }: StartedDownload,
): Promise<void> {
  if (caches.recordedDownloads.get(tokenId)) return;
  const { rows } = await sql`
    with started as (
    insert into downloads (token_id, link_id, package_id, team_id, user_agent, address, started_at, verified)
    select ${tokenId}::uuid, ${linkId}::uuid, packages.id, packages.team_id, ${(source.userAgent ?? '').slice(0, userAgentLength)},
      ${source.address}, ${now()}::timestamptz, ${verified}::boolean
    from packages where packages.id = ${packageId}
    on conflict do nothing returning link_id, package_id, started_at
    )
    insert into notices (id, package_id, kind, subject, link_id, created_at)
    select ${newId()}::uuid, packages.id, 'downloaded', started.link_id::text, started.link_id, started.started_at
    from started join packages on packages.id = started.package_id
    where ${isWanted('downloaded')}
    on conflict do nothing returning 1`.execute(db);
  if (rows.length > 0) await jobs.add(db, 'notices.tell', {});
  caches.recordedDownloads.set(tokenId, true);
}

interface DownloadRow {
  readonly token_id: string;
  readonly link_id: string;
  readonly email: string;
  readonly user_agent: string;
  readonly address: string;
  readonly started_at: Date;
  readonly verified: boolean;
}

export const toDownload = (row: DownloadRow): Download => ({
  id: row.token_id,
  link_id: row.link_id,
  email: row.email,
  user_agent: row.user_agent,
  address: row.address,
  started_at: formatDateTime(row.started_at),
  verified: row.verified,
});

export const downloadHandlers: HandlersOf<'listDownloads'> = {
  async listDownloads({ params, query }, context) {
    await managePackage(context, params.package_id);
    const { before, limit } = query;
    if (before !== undefined && !isId(before)) return { records: [] };
    const older: RawBuilder<SqlBool> =
      before === undefined
        ? sql`true`
        : sql`(started_at, token_id) < (select started_at, token_id from downloads where token_id = ${before} and package_id = ${params.package_id})`;
    const { rows } = await sql<DownloadRow>`
      select found.*, links.email from (
        select token_id, link_id, user_agent, address, started_at, verified from downloads
        where package_id = ${params.package_id} and ${older}
        order by started_at desc, token_id desc limit ${limit}
      ) found join links on links.id = found.link_id
      order by found.started_at desc, found.token_id desc`.execute(context.db);
    const records = rows.map(toDownload);
    if (before !== undefined) return { records };
    const counted = await context.db
      .selectFrom('downloads')
      .select(['link_id', (select) => select.fn.countAll<string>().as('downloads')])
      .where('package_id', '=', params.package_id)
      .groupBy('link_id')
      .orderBy('link_id')
      .execute();
    return { records, by_link: counted.map(({ link_id, downloads }) => ({ link_id, downloads: Number(downloads) })) };
  },
};

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Download } from '#protocol/hosted/downloads.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { isWanted } from '../notices/record.ts';
import { managePackage } from '../packages/access.ts';
import { formatDateTime } from '../wire-times.ts';

/** What is asked for: files by their ids, or everything as one zip. */
export type Downloaded = { readonly fileIds: readonly string[] } | 'whole';

interface StartedDownload {
  readonly packageId: string;
  readonly linkId: string;
  readonly tokenId: string;
  /** Whether the token's holder proved that the link's address is theirs. */
  readonly verified: boolean;
  readonly what: Downloaded;
}

/** Longer names of programs are cut. */
const userAgentLength = 200;

/** Of one download: further ones are "more", so that a package of a million files costs no more than one of these. */
export const recordedFiles = 20;

/**
 * Records that a read token starts a download (contract/links.md §6): once for a token, with the first files that it asks for.
 * The first one by a link is noted with it, for whoever wants to hear of it.
 */
export async function recordDownload(
  { db, caches, now, source, jobs }: Pick<Context, 'db' | 'caches' | 'now' | 'source' | 'jobs'>,
  { packageId, linkId, tokenId, verified, what }: StartedDownload,
): Promise<void> {
  const known = caches.recordedDownloads.get(tokenId);
  const whole = what === 'whole';
  const added = whole || known?.more ? [] : what.fileIds.filter((id) => !known?.fileIds.has(id));
  if (known && added.length === 0 && (known.whole || !whole)) return;
  // One more than are kept shows that there were more.
  const fileIds = added.slice(0, recordedFiles + 1);
  const { rows } = await sql<{ readonly isNoted: boolean; readonly more: boolean }>`
    with started as (
    insert into downloads as known (token_id, link_id, package_id, team_id, user_agent, address, started_at, verified,
      file_ids, more_files, whole)
    select ${tokenId}::uuid, ${linkId}::uuid, packages.id, packages.team_id, ${(source.userAgent ?? '').slice(0, userAgentLength)},
      ${source.address}, ${now()}::timestamptz, ${verified}::boolean, (${fileIds}::uuid[])[1:${sql.lit(recordedFiles)}],
      ${fileIds.length > recordedFiles}::boolean, ${whole}::boolean
    from packages where packages.id = ${packageId}
    on conflict (token_id) do update set
      file_ids = (known.file_ids || array(select one from unnest(${fileIds}::uuid[]) one where one <> all (known.file_ids)))
        [1:${sql.lit(recordedFiles)}],
      more_files = known.more_files or cardinality(known.file_ids
        || array(select one from unnest(${fileIds}::uuid[]) one where one <> all (known.file_ids))) > ${sql.lit(recordedFiles)},
      whole = known.whole or excluded.whole
    returning link_id, package_id, started_at, more_files, xmax = 0 as fresh
    ), noted as (
    insert into notices (id, package_id, kind, subject, link_id, created_at)
    select ${newId()}::uuid, packages.id, 'downloaded', started.link_id::text, started.link_id, started.started_at
    from started join packages on packages.id = started.package_id
    where started.fresh and ${isWanted('downloaded')}
    on conflict do nothing returning 1
    )
    select exists (select from noted) as "isNoted", more_files as more from started`.execute(db);
  const [row] = rows;
  if (row?.isNoted) await jobs.add(db, 'notices.tell', {});
  const more = row?.more ?? false;
  caches.recordedDownloads.set(tokenId, {
    fileIds: new Set(more ? [] : [...(known?.fileIds ?? []), ...added]),
    more,
    whole: whole || (known?.whole ?? false),
  });
}

/** How many files of a download are named in lists. */
const namedFiles = 3;

interface DownloadRow {
  readonly token_id: string;
  readonly link_id: string;
  readonly email: string;
  readonly user_agent: string;
  readonly address: string;
  readonly started_at: Date;
  readonly verified: boolean;
}

interface ListedRow extends DownloadRow {
  readonly files: number;
  readonly more_files: boolean;
  readonly whole: boolean;
  /** Of the first files, as far as they are there still. */
  readonly names: readonly string[];
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

/** With what was downloaded, which is not known of what began before migration 0072. */
function toListed({ files, more_files: more, whole, names, ...row }: ListedRow): Download {
  const isKnown = whole || files > 0;
  return { ...toDownload(row), ...(isKnown && { what: { whole, files, more, names: [...names] } }) };
}

export const downloadHandlers: HandlersOf<'listDownloads'> = {
  async listDownloads({ params, query }, context) {
    await managePackage(context, params.package_id);
    const { before, limit } = query;
    if (before !== undefined && !isId(before)) return { records: [] };
    const older: RawBuilder<SqlBool> =
      before === undefined
        ? sql`true`
        : sql`(started_at, token_id) < (select started_at, token_id from downloads where token_id = ${before} and package_id = ${params.package_id})`;
    const { rows } = await sql<ListedRow>`
      select found.*, links.email, cardinality(found.file_ids) as files, array(
        select concat_ws('/', nullif(files.path, ''), files.name) from unnest(found.file_ids[1:${sql.lit(namedFiles)}]) with ordinality one (id, nth)
        join files on files.id = one.id order by one.nth
      ) as names from (
        select token_id, link_id, user_agent, address, started_at, verified, file_ids, more_files, whole from downloads
        where package_id = ${params.package_id} and ${older}
        order by started_at desc, token_id desc limit ${limit}
      ) found join links on links.id = found.link_id
      order by found.started_at desc, found.token_id desc`.execute(context.db);
    const records = rows.map(toListed);
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

import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { linkColumns, linkIdOf, requireOpenLink, urlExpiry } from '../files/download-url.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { checkAccessLimit } from '../links/access-limit.ts';
import { type Downloaded, recordDownload, recordedFiles } from '../links/downloads.ts';
import { requireUninfected } from '../viruses/policy.ts';
import { encodeRanges, rangesFault } from './selection.ts';
import { presignZip } from './virtual-files.ts';
import { zipDamaged } from './whole.ts';

/** Longest choice and name in an address, in bytes: with the rest of its token it stays within what addresses may have. */
const maxChoiceBytes = 2_400;

/** The address of a zip of chosen files and folders (contract/zips.md §5). It counts as a download of its link. */
export const createZip: HandlersOf<'createZip'>['createZip'] = async ({ params, body }, context) => {
  const { db, credential, now } = context;
  const packageId = params.package_id;
  if (credential.task) throw new ApiError('not_allowed', { detail: 'A storage gateway takes files one by one.' });
  const linkId = linkIdOf(credential);
  const link = await db
    .selectFrom('links')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .select(linkColumns)
    .where('links.id', '=', linkId)
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  requireOpenLink(link, now());
  const expiresAt = urlExpiry(link, body.expiry, now());
  // What does not ascend is refused before it is encoded, or given to the database.
  const misplaced = rangesFault(body.ranges, Number.POSITIVE_INFINITY);
  if (misplaced !== null) throw new ApiError('invalid_request', { detail: misplaced });
  const chosen = encodeRanges(body.ranges);
  if (chosen.length + Buffer.byteLength(body.name ?? '') > maxChoiceBytes) {
    throw new ApiError('over_limit', {
      detail: 'This choice has too many separate parts for one zip. Choose whole folders, or fewer files.',
    });
  }
  const { infected, damaged, ...found } = await countChosen(context, packageId, body.ranges);
  requireUninfected(link, infected);
  if (damaged !== null) throw zipDamaged(damaged);
  if (link.accessLimit > 0) await checkAccessLimit(context, linkId, credential.tokenId);
  const what = await downloadedOf(context, packageId, body.ranges);
  await recordDownload(context, { packageId, linkId, tokenId: credential.tokenId, verified: credential.verified, what });
  const target = { packageId, packageName: body.name ?? link.packageName, flavour: body.kind, linkId, chosen };
  const address = await presignZip(context, { ...target, ...(body.name !== undefined && { name: body.name }) }, expiresAt);
  return { ...address, ...found };
};

const multirangeOf = (ranges: Parameters<typeof encodeRanges>[0]): string =>
  `{${ranges.map(({ first, last }) => `[${first},${last}]`).join(',')}}`;

/** The first files of a choice, in the order of the list. */
async function downloadedOf(
  { db }: Pick<Context, 'db'>,
  packageId: string,
  ranges: Parameters<typeof encodeRanges>[0],
): Promise<Downloaded> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, kind, row_number() over (order by path collate "C", name collate "C") - 1 as position
      from files where package_id = ${packageId} and state = 'finalized'
    ) as listed
    where ${multirangeOf(ranges)}::int8multirange @> position and kind = 'file'
    order by position limit ${sql.lit(recordedFiles + 1)}`.execute(db);
  return { fileIds: rows.map(({ id }) => id) };
}

/** Files and bytes of a choice. `invalid_request` for ranges beyond the package's list. */
async function countChosen(
  { db }: Pick<Context, 'db'>,
  packageId: string,
  ranges: Parameters<typeof encodeRanges>[0],
): Promise<{ readonly files: number; readonly bytes: number; readonly infected: boolean; readonly damaged: string | null }> {
  const { rows } = await sql<{ records: string; files: string; bytes: string | null; infected: boolean | null; damaged: string | null }>`
    select count(*) as records,
      count(*) filter (where chosen and kind = 'file') as files,
      sum(size) filter (where chosen) as bytes,
      bool_or(virus_detected) filter (where chosen) as infected,
      min(concat_ws('/', nullif(path, ''), name)) filter (where chosen and id in (
        select file_id from integrity_findings where package_id = ${packageId} and kind in ('missing', 'damaged'))) as damaged
    from (
      select id, path, name, kind, size, virus_detected,
        ${multirangeOf(ranges)}::int8multirange @> (row_number() over (order by path collate "C", name collate "C") - 1) as chosen
      from files where package_id = ${packageId} and state = 'finalized'
    ) as listed`.execute(db);
  const { records, files, bytes, infected, damaged } = rows[0]!;
  const fault = rangesFault(ranges, Number(records));
  if (fault !== null) throw new ApiError('invalid_request', { detail: fault });
  return { files: Number(files), bytes: Number(bytes ?? 0), infected: infected ?? false, damaged };
}

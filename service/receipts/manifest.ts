import { type Kysely, sql } from 'kysely';
import { type ReceiptEntry, receiptLine } from '#protocol/receipt.ts';
import type { Database } from '../database/schema/database.ts';
import { formatDateTime } from '../wire-times.ts';

/** Files per page: limits memory, however many files a package has. */
const perPage = 2_000;

/** A file in a page: kind, path, name, size, chunk size, digest, and time of change in milliseconds since 1970. */
type Packed = readonly [ReceiptEntry['kind'], string, string, number | null, number, string | null, number | null];

/**
 * The entries of a finalized package's receipt, page by page, in the order of the index on `place`. A page is read as
 * one JSON value: for a million files, separate rows would take several times the CPU time.
 */
export async function* manifestPages(db: Kysely<Database>, packageId: string): AsyncGenerator<ReceiptEntry[]> {
  for (let after: Buffer | null = Buffer.alloc(0); after !== null; ) {
    const page: { readonly files: readonly Packed[] | null; readonly last: Buffer | null } | undefined = (
      await sql<{ files: readonly Packed[] | null; last: Buffer | null }>`
        with page as materialized (
          select kind, path, name, size, chunk_size, digest, last_modified, place from files
          where package_id = ${packageId}::uuid and place > ${after}::bytea
          order by place limit ${perPage}::integer
        )
        select
          json_agg(
            json_build_array(kind, path, name, size, chunk_size, digest, (extract(epoch from last_modified) * 1000)::bigint) order by place
          ) as files,
          (select place from page order by place desc limit 1) as last
        from page`.execute(db)
    ).rows[0];
    const files: readonly Packed[] = page?.files ?? [];
    if (files.length > 0) yield files.map(entryOf);
    after = files.length < perPage ? null : page!.last;
  }
}

function entryOf([kind, path, name, size, chunkSize, digest, modified]: Packed): ReceiptEntry {
  const common = {
    kind,
    path: path === '' ? name : `${path}/${name}`,
    last_modified: formatDateTime(modified === null ? null : new Date(modified)),
  };
  if (kind === 'directory') return common;
  return { ...common, size: size ?? 0, chunk_size: chunkSize, ...(digest !== null && { digest }) };
}

export const linesOf = (entries: readonly ReceiptEntry[]): string => entries.map(receiptLine).join('');

import type { Kysely, Selectable } from 'kysely';
import { type ReceiptEntry, receiptLine } from '#protocol/receipt.ts';
import { toWire } from '../accounts/times.ts';
import type { Database } from '../database/schema/database.ts';

const columns = ['kind', 'path', 'name', 'size', 'last_modified', 'chunk_size', 'digest'] as const;
type Row = Pick<Selectable<Database['files']>, (typeof columns)[number]>;

/** Files read at once: so many are in memory, however many there are. */
const perPage = 2_000;

/** The entries of a finalized package's receipt, by pages, in the order of `place`, which the table is indexed by. */
export async function* manifestPages(db: Kysely<Database>, packageId: string): AsyncGenerator<ReceiptEntry[]> {
  let last: Buffer | null = null;
  for (;;) {
    const after: Buffer | null = last;
    const rows: (Row & { place: Buffer })[] = await db
      .selectFrom('files')
      .select([...columns, 'place'])
      .where('package_id', '=', packageId)
      .$if(after !== null, (select) => select.where('place', '>', after!))
      .orderBy('place')
      .limit(perPage)
      .execute();
    if (rows.length > 0) yield rows.map(entryOf);
    if (rows.length < perPage) return;
    last = rows.at(-1)!.place;
  }
}

function entryOf(row: Row): ReceiptEntry {
  const { kind, path, name, digest } = row;
  const common = { kind, path: path === '' ? name : `${path}/${name}`, last_modified: toWire(row.last_modified) };
  if (kind === 'directory') return common;
  return {
    ...common,
    size: Number(row.size ?? 0),
    chunk_size: Number(row.chunk_size),
    ...(digest !== null && { digest }),
  };
}

export const linesOf = (entries: readonly ReceiptEntry[]): string => entries.map(receiptLine).join('');

import { type RawBuilder, sql } from 'kysely';
import type { packageSorts } from '#protocol/hosted/packages.ts';

export type PackageSort = (typeof packageSorts)[number];
type SortField = Exclude<PackageSort, `-${string}`>;

/**
 * The sort key of each field, exactly as the indexes of migration 0005 write it. No key is ever null, so that
 * positions in an order can be compared: packages that never expire, or are in no Teamspace, sort last.
 */
export const keyOf: Readonly<Record<SortField, RawBuilder<unknown>>> = {
  name: sql`lower(packages.name) collate "C"`,
  created_at: sql`packages.created_at`,
  size: sql`packages.size`,
  usage_total_bytes: sql`packages.usage_total_bytes`,
  expiry: sql`coalesce(packages.expiry, 'infinity'::timestamptz)`,
  sender: sql`lower(packages.sender) collate "C"`,
  status: sql`packages.state collate "C"`,
  teamspace_id: sql`coalesce(packages.teamspace_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)`,
};

const typeOf: Readonly<Record<SortField, string>> = {
  name: 'text',
  created_at: 'timestamptz',
  size: 'bigint',
  usage_total_bytes: 'bigint',
  expiry: 'timestamptz',
  sender: 'text',
  status: 'text',
  teamspace_id: 'uuid',
};

/** A row's position in an order: its key as text, and its id, which makes the order total. */
export interface Cursor {
  readonly key: string;
  readonly id: string;
}

/** An order of packages, as SQL. */
interface Order {
  readonly key: RawBuilder<unknown>;
  readonly direction: RawBuilder<unknown>;
  /** Whether a row comes after a position. */
  after(cursor: Cursor): RawBuilder<boolean>;
  /** The position right before a row, even if other rows have the same key. */
  before(cursor: Cursor): Cursor;
}

const lowest = '00000000-0000-0000-0000-000000000000';
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function orderOf(sort: PackageSort): Order {
  const descending = sort.startsWith('-');
  const field = (descending ? sort.slice(1) : sort) as SortField;
  const collation = typeOf[field] === 'text' ? sql` collate "C"` : sql``;
  return {
    key: keyOf[field],
    before: ({ key }) => ({ key, id: descending ? highest : lowest }),
    direction: descending ? sql`desc` : sql`asc`,
    after: ({ key, id }) =>
      sql`(${keyOf[field]}, packages.id) ${descending ? sql`<` : sql`>`} (${key}::${sql.raw(typeOf[field])}${collation}, ${id}::uuid)`,
  };
}

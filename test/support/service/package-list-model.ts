import type { PackageState } from '#protocol/hosted/packages.ts';

/** The list of packages as a model: the same packages in memory, filtered and sorted by plain code. */

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly sender: string;
  readonly state: PackageState;
  readonly size: number;
  readonly usage_total_bytes: number;
  readonly created_at: Date;
  readonly expiry: Date | null;
  readonly custom_expiry: boolean;
  readonly unlimited_storage: boolean;
  readonly teamspace_id: string | null;
  readonly tag_id: string | null;
  readonly created_by: string;
}

export type Query = Readonly<Record<string, string>>;

const compare = (a: string | number | null, b: string | number | null): number => {
  if (a === b) return 0;
  // No value sorts as the greatest.
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
};

const keys: Readonly<Record<string, (row: Row) => string | number | null>> = {
  name: (row) => row.name.toLowerCase(),
  created_at: (row) => row.created_at.getTime(),
  size: (row) => row.size,
  usage_total_bytes: (row) => row.usage_total_bytes,
  expiry: (row) => row.expiry?.getTime() ?? null,
  sender: (row) => row.sender.toLowerCase(),
  status: (row) => row.state,
  teamspace_id: (row) => row.teamspace_id,
};

const isDay = (text: string) => text.length === 10;
const from = (text: string) => new Date(text).getTime();
const until = (text: string) => from(text) + (isDay(text) ? 24 * 3600_000 - 1 : 0);

/** What a query finds of the packages that somebody sees, in its order. */
export function matching(rows: readonly Row[], query: Query, sees: (row: Row) => boolean = () => true): Row[] {
  const statuses = query['status']?.split(',') ?? ['finalized', 'expired'];
  const within = (at: Date | null, start: string | undefined, end: string | undefined) =>
    (start === undefined && end === undefined) ||
    (at !== null && (start === undefined || at.getTime() >= from(start)) && (end === undefined || at.getTime() <= until(end)));
  const found = rows.filter(
    (row) =>
      sees(row) &&
      statuses.includes(row.state) &&
      (query['name'] === undefined || row.name.toLowerCase().includes(query['name'].toLowerCase())) &&
      (query['sender'] === undefined || row.sender.toLowerCase() === query['sender'].toLowerCase()) &&
      (query['tags'] === undefined || query['tags'].split(',').includes(row.tag_id ?? '-')) &&
      (query['teamspaces'] === undefined || query['teamspaces'].split(',').includes(row.teamspace_id ?? '-')) &&
      within(row.created_at, query['created_at_start'], query['created_at_end']) &&
      within(row.expiry, query['expiry_start'], query['expiry_end']) &&
      (query['extra_storage'] === undefined || (row.custom_expiry || row.unlimited_storage) === (query['extra_storage'] === 'true')),
  );
  const sort = query['sort'] ?? '-created_at';
  const direction = sort.startsWith('-') ? -1 : 1;
  const key = keys[sort.replace('-', '')]!;
  return found.sort((a, b) => direction * (compare(key(a), key(b)) || compare(a.id, b.id)));
}

import { csvText } from '../csv.ts';
import type { ChainedRow } from './list.ts';
import { toEntry } from './list.ts';

const columns = [
  'position',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'api_key_id',
  'actor_name',
  'address',
  'user_agent',
  'target_kind',
  'target_id',
  'target_name',
  'details',
  'id',
  'hash',
] as const;

const cellsOf = (row: ChainedRow) => [
  row.position ?? '',
  row.at.toISOString(),
  row.action,
  row.actor_kind,
  row.actor_id ?? '',
  row.api_key_id ?? '',
  row.actor_name,
  row.address,
  row.user_agent,
  row.target_kind,
  row.target_id,
  row.target_name,
  Object.keys(row.details).length === 0 ? '' : JSON.stringify(row.details),
  row.id,
  row.hash?.toString('hex') ?? '',
];

/** Pages of entries as CSV (RFC 4180), with the names of the columns first. */
export async function* asCsv(pages: AsyncIterable<readonly ChainedRow[]>): AsyncGenerator<string> {
  yield csvText([columns]);
  for await (const rows of pages) yield csvText(rows.map(cellsOf));
}

/** Pages of entries as JSON lines, each as the API lists it. */
export async function* asJsonLines(pages: AsyncIterable<readonly ChainedRow[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(toEntry(row))}\n`).join('');
}

import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database } from '../database/schema/database.ts';

export type AuditRow = Selectable<Database['audit_entries']>;

/** JSON with the names of each object in order, so that the same values have the same text wherever they were stored. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** What an entry's hash covers: every field, in this order (contract/audit-log.md §3). */
export function canonicalEntry(row: AuditRow): string {
  return canonicalJson([
    row.id,
    row.team_id,
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
    row.details,
  ]);
}

/** The hash before the first entry of a Team. */
export const chainStart = (teamId: string): Buffer => createHash('sha256').update(`longshore audit log ${teamId}`).digest();

/** The hash of an entry at its place. */
export const chainHash = (before: Buffer, row: AuditRow): Buffer =>
  createHash('sha256').update(before).update(canonicalEntry(row)).digest();

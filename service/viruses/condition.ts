import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** How the scanning for viruses is, of all processes. */
export interface ScanCondition {
  /** Packages that wait for their scan. */
  readonly waiting: number;
  /** Since when the first of them waits; null if none does. */
  readonly oldest: Date | null;
  /** Files in which a virus was found within the last 24 hours. */
  readonly infected: number;
}

export async function scanCondition(db: Kysely<Database>, now: Date): Promise<ScanCondition> {
  const yesterday = new Date(now.getTime() - 24 * 3_600_000);
  const { rows } = await sql<ScanCondition>`
    select count(*)::integer as waiting, min(created_at) as oldest,
      (select count(*)::integer from scan_findings where kind = 'infected' and created_at >= ${yesterday}) as infected
    from package_scans where state = 'pending'`.execute(db);
  return rows[0]!;
}

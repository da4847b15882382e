import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { folderStore } from '../backup/folder-store.ts';
import type { Database } from '../database/schema/database.ts';
import {
  type CheckJournal,
  type CheckState,
  type CheckSummary,
  type FindingCounts,
  type Integrity,
  integrityOf,
  stateFormat,
} from './check-state.ts';
import type { Finding } from './finding.ts';

const listName = 'list.gz';

/**
 * Of a bucket, which any worker can check: in the database, so that each goes on where the last one ended, wherever that was.
 * The list is too large for it, and is written anew by each run in the data folder of its machine. `client` has to be the
 * connection that holds the lock of checks: whoever has lost it then keeps nothing any more.
 */
export function openDatabaseJournal(client: pg.Client, dataDir: string, deep: boolean): CheckJournal {
  const kind = deep ? 'deep' : 'quick';
  const folder = folderStore(join(dataDir, 'integrity'));
  const lists = folderStore(join(dataDir, 'integrity', kind));
  const forgetFindings = 'with gone as (delete from integrity_check_findings where kind = $1)';
  return {
    list: { write: (bytes) => lists.write(listName, bytes), read: () => lists.read(listName) },
    keepsList: false,
    async read() {
      const { rows } = await client.query<{ state: CheckState | null }>('select state from integrity_checks where kind = $1', [kind]);
      const state = rows[0]?.state;
      if (state?.format !== stateFormat) return null;
      const { rows: found } = await client.query<{ findings: Finding[] }>(
        'select findings from integrity_check_findings where kind = $1 order by id',
        [kind],
      );
      return { state, findings: found.flatMap(({ findings }) => findings) };
    },
    async write(state, findings) {
      await client.query(
        `with found as (insert into integrity_check_findings (kind, findings) select $1, $3::jsonb where $3::jsonb <> '[]')
         insert into integrity_checks (kind, state) values ($1, $2::jsonb) on conflict (kind) do update set state = excluded.state`,
        [kind, JSON.stringify(state), JSON.stringify(findings)],
      );
    },
    async forget() {
      await client.query(`${forgetFindings} update integrity_checks set state = null where kind = $1`, [kind]);
    },
    async end(summary) {
      await client.query(`${forgetFindings} update integrity_checks set state = null, last = coalesce($2::jsonb, last) where kind = $1`, [
        kind,
        summary && JSON.stringify(summary),
      ]);
    },
    leave: () => folder.remove(kind),
  };
}

/** What deep checks of a bucket have found. */
export async function readSharedIntegrity(db: Kysely<Database>): Promise<Integrity> {
  // Not all of the state, which can be long: probes ask for it each few seconds.
  const counts = sql<FindingCounts | null>`state -> 'counts'`.as('counts');
  const begun = sql<string | null>`state ->> 'begun_at'`.as('begun_at');
  const row = await db.selectFrom('integrity_checks').select([begun, counts, 'last']).where('kind', '=', 'deep').executeTakeFirst();
  const running = row?.begun_at != null && row.counts !== null ? { begun_at: row.begun_at, counts: row.counts } : null;
  return integrityOf(row ? (row.last as CheckSummary | null) : null, running);
}

import { appendEntries } from '../audit/record.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../handler.ts';
import type { DomainRow } from './domain-rows.ts';

/** For so long a verified domain counts without its record: people move name servers, and lose a record on the way. */
const graceMilliseconds = 3 * 24 * 3_600_000;

/**
 * Writes down what was found of a verified domain's record, and takes the domain from the Team once the record is gone
 * for three days, or `atOnce`. Returns the row as it is then.
 */
export async function checkAgain(
  { db, now }: Pick<Services, 'db' | 'now'>,
  row: DomainRow,
  found: boolean,
  { atOnce = false } = {},
): Promise<DomainRow> {
  const at = now();
  const missingSince = found ? null : (row.missing_since ?? at);
  const isLost = missingSince !== null && (atOnce || at.getTime() - missingSince.getTime() >= graceMilliseconds);
  const changes = { checked_at: at, missing_since: isLost ? null : missingSince, ...(isLost && { verified_at: null }) };
  return await inTransaction(db, async (trx) => {
    const after = await trx
      .updateTable('sso_domains')
      .set(changes)
      .where('id', '=', row.id)
      .where('verified_at', 'is not', null)
      .returningAll()
      .executeTakeFirst();
    if (!after) return row;
    if (isLost) {
      const origin = { actor: { kind: 'service', name: '' }, at, address: '', userAgent: undefined } as const;
      const target = { kind: 'sso_domain', id: row.id, name: row.domain };
      await appendEntries(trx, [row.team_id], origin, { action: 'sso.domain_lost', target });
    }
    return after;
  });
}

import { type Kysely, sql } from 'kysely';
import type { AuditVerification } from '#protocol/hosted/audit.ts';
import type { Database } from '../database/schema/database.ts';
import { chainAnchor, chainPending } from './chain.ts';
import { chainHash } from './hash.ts';

/** Links that are read at once. */
const page = 2_000;

/** A head that somebody noted before. */
export interface NotedHead {
  readonly position: number;
  /** In hexadecimal. */
  readonly hash: string;
}

/**
 * Checks a Team's chain: every link follows from the one before and its entry, none is missing, and no entry is left
 * out. Who can change the database can also compute a new chain, so only a head that was `noted` elsewhere proves that
 * what was before it is as it was (contract/audit-log.md §3).
 */
export async function verifyChain(db: Kysely<Database>, teamId: string, noted: NotedHead | null = null): Promise<AuditVerification> {
  await chainPending(db, teamId);
  const anchor = await chainAnchor(db, teamId);
  let { position, hash } = anchor;
  let isNotedSeen = noted === null || (noted.position === position && noted.hash === hash.toString('hex'));
  const result = (fault?: string): AuditVerification => ({
    intact: fault === undefined,
    entries: position - anchor.position,
    first_position: position === anchor.position ? anchor.position : anchor.position + 1,
    head: { position, hash: hash.toString('hex') },
    ...(fault !== undefined && { fault }),
  });
  for (;;) {
    const rows = await db
      .selectFrom('audit_chain')
      .innerJoin('audit_entries', (join) =>
        join.onRef('audit_entries.id', '=', 'audit_chain.entry_id').onRef('audit_entries.team_id', '=', 'audit_chain.team_id'),
      )
      .selectAll('audit_entries')
      .select(['audit_chain.position', 'audit_chain.hash'])
      .where('audit_chain.team_id', '=', teamId)
      .where('audit_chain.position', '>', position)
      .orderBy('audit_chain.position')
      .limit(page)
      .execute();
    for (const row of rows) {
      if (row.position !== position + 1) return result(`The entry at position ${position + 1} is missing.`);
      const expected = chainHash(hash, row);
      if (!expected.equals(row.hash)) return result(`The entry at position ${row.position} is not what its hash says.`);
      position = row.position;
      hash = expected;
      if (noted?.position === position) {
        if (noted.hash !== hash.toString('hex')) return result(`Position ${position} has another hash than was noted.`);
        isNotedSeen = true;
      }
    }
    if (rows.length < page) break;
  }
  const [outside] = (
    await sql<{ id: string }>`
      select id from audit_entries where team_id = ${teamId}
        and not exists (select from audit_chain where entry_id = audit_entries.id)
        and not exists (select from audit_pending where entry_id = audit_entries.id)
      limit 1`.execute(db)
  ).rows;
  if (outside) return result(`The entry ${outside.id} has no place in the chain.`);
  const beyond = await db
    .selectFrom('audit_chain')
    .select('position')
    .where('team_id', '=', teamId)
    .where('position', '>', position)
    .limit(1)
    .executeTakeFirst();
  if (beyond) return result(`The entry at position ${position + 1} is missing.`);
  if (!isNotedSeen) {
    const isRemoved = noted!.position <= anchor.position;
    return result(
      isRemoved ? `Position ${noted!.position} was removed by retention.` : `There is no position ${noted!.position} any more.`,
    );
  }
  return result();
}

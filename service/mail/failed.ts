import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Jobs } from '../jobs/ports.ts';

/** A mail that reached nobody, for operators. */
export interface FailedMail extends Pick<Selectable<Database['messages']>, 'id' | 'kind' | 'recipient' | 'attempts' | 'package_id'> {
  /** `refused`: by the mail server, for this recipient. `gave_up`: after all attempts. */
  readonly state: 'refused' | 'gave_up';
  /** What was said last, in one line. */
  readonly reason: string;
  readonly created_at: Date;
  /** When it failed. */
  readonly failed_at: Date;
}

/** The most that one call gives. */
const pageSize = 200;

/** The mails that failed, the latest first: those before the given one, if there is one. */
export async function failedMails(db: Kysely<Database>, { before, limit = pageSize }: { before?: string; limit?: number } = {}) {
  const { rows } = await sql<FailedMail>`
    select id, kind, recipient, attempts, package_id, state, last_error as reason, created_at, updated_at as failed_at
    from messages
    where state in ('refused', 'gave_up')
      and (${before ?? null}::uuid is null or (updated_at, id) < (select updated_at, id from messages where id = ${before ?? null}::uuid))
    order by updated_at desc, id desc
    limit ${Math.min(limit, pageSize)}`.execute(db);
  return rows;
}

/**
 * Sends a failed mail again, with all attempts before it; its text is made of what is so then. False where there is no
 * such mail, or it has not failed.
 */
export async function sendAgain(
  { db, jobs, now }: { readonly db: Kysely<Database>; readonly jobs: Jobs; readonly now: () => Date },
  id: string,
): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const found = await trx
      .updateTable('messages')
      .set({ state: 'waiting', attempts: 0, busy_until: null, updated_at: now() })
      .where('id', '=', id)
      .where('state', 'in', ['refused', 'gave_up'])
      .returning('id')
      .executeTakeFirst();
    if (!found) return false;
    await jobs.add(trx, 'mail.send', { message_id: id });
    return true;
  });
}

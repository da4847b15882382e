import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { JobContext } from '../jobs/context.ts';
import { applyEvent } from './end.ts';

/**
 * A package whose upload was not finished, and to which no file was added for this long, is given up: it expires, and
 * its uploaded data is deleted. Generous, since a sender may wait a long time for a disk, a person or a season to
 * come back.
 */
const abandonedAfterDays = 30;

const dayMilliseconds = 24 * 3600 * 1000;
const rowsPerQuery = 100;

/** Ends the abandoned packages. */
export async function expireAbandoned(context: JobContext): Promise<void> {
  const { db, now, signal } = context;
  const since = new Date(now().getTime() - abandonedAfterDays * dayMilliseconds);
  for (let last: { readonly id: string; readonly created_at: Date } | undefined; ; ) {
    signal.throwIfAborted();
    const after = last;
    const packages = await db
      .selectFrom('packages')
      .select(['id', 'created_at'])
      .where('state', '=', 'new')
      .where('created_at', '<', since)
      .$if(after !== undefined, (select) =>
        select.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '>', tuple(after!.created_at, after!.id))),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsPerQuery)
      .execute();
    for (const { id } of packages) {
      await inTransaction(db, async (trx) => {
        // After the row is locked nobody can add a file, and files added before are visible.
        const row = await trx.selectFrom('packages').select('state').where('id', '=', id).forUpdate().skipLocked().executeTakeFirst();
        if (row?.state === 'new' && !(await touchedSince(trx, id, since))) await applyEvent(trx, context, id, 'abandon');
      });
    }
    if (packages.length < rowsPerQuery) return;
    last = packages.at(-1);
  }
}

async function touchedSince(db: Kysely<Database>, packageId: string, since: Date): Promise<boolean> {
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('package_id', '=', packageId)
    .where('created_at', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return file !== undefined;
}

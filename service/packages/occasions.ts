import type { Kysely } from 'kysely';
import { toWire } from '../accounts/times.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';

type Occasion = 'package.created' | 'package.finalized';

/**
 * Notes, in the transaction that makes it so, that a package was created or finalized: webhooks and mail follow as
 * jobs exactly if the transaction is committed (interface §6).
 */
export async function noteOccasion(
  db: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  event: Occasion,
  packageId: string,
): Promise<void> {
  const row = await db.selectFrom('packages').selectAll().where('id', '=', packageId).executeTakeFirstOrThrow();
  // Webhooks are attached to Portals, so that no other package has any.
  if (row.portal_id !== null) {
    await jobs.add(db, 'webhooks.announce', {
      event_id: newId(),
      event_time: now().toISOString(),
      event_type: event,
      object: {
        type: 'package',
        id: row.id,
        name: row.name,
        portal_id: row.portal_id,
        sender: row.sender,
        size: Number(row.size),
        state: row.state,
        total_files: row.total_files,
        created_at: toWire(row.created_at),
        updated_at: toWire(row.updated_at),
      },
    });
  }
  if (event === 'package.finalized' && (row.recipients.length > 0 || row.through_portal)) {
    await jobs.add(db, 'mail.announce', { package_id: packageId });
  }
}

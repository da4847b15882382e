import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { noteFailure } from '../notices/record.ts';
import { teamSubscribes } from '../packages/lifecycle-events.ts';
import { mayMailTransfer } from '../portals/sender-limits.ts';
import { type TransferRow, toTransfer } from './record.ts';
import type { Settling } from './settle.ts';

/**
 * Records that a transfer began or is over, in the same transaction as the change: webhooks follow exactly if it is committed
 * (contract/webhooks.md §1), and so does mail.
 */
export function recordTransferEvent(services: Pick<Services, 'jobs' | 'now' | 'buckets' | 'senderLimits'>): Settling['record'] {
  const { jobs, now } = services;
  return async (trx, event, row) => {
    if (event !== 'started' && row.notify_email !== '') await queueMail(trx, services, row);
    if (event === 'complete') await finalizeWhenAllIsIn(trx, services, row);
    // Who has a link brings storage of their own, whose failures are theirs.
    if (event === 'error' && row.cloud_connection_id !== null)
      await noteFailure(trx, services, { packageId: row.package_id, subject: newId(), transferId: row.id, reason: row.message });
    const type = `transfer.${event}` as const;
    const owner = await ownerOf(trx, row);
    const subscribed =
      owner.portal_id !== null ||
      (await trx.selectNoFrom(teamSubscribes(owner.team_id, type).as('subscribed')).executeTakeFirstOrThrow()).subscribed;
    if (!subscribed) return;
    const { access_token: _token, notify_email: _email, state_message: _message, ...facts } = toTransfer(row, '');
    await jobs.add(trx, 'webhooks.announce', {
      event_id: newId(),
      event_time: now().toISOString(),
      event_type: type,
      object: { type: 'transfer', ...facts, name: owner.name, ...(owner.portal_id !== null && { portal_id: owner.portal_id }) },
    });
  };
}

/** Has the package finalized, if this transfer or one before it was to. It is refused while others still bring files in. */
async function finalizeWhenAllIsIn(trx: Kysely<Database>, { jobs }: Pick<Services, 'jobs'>, row: TransferRow): Promise<void> {
  if (row.direction !== 'cloud_to_service') return;
  const asked = await trx
    .selectFrom('cloud_transfers')
    .select('finalize_as')
    .where('package_id', '=', row.package_id)
    .where('finalize_as', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (asked?.finalize_as) await jobs.add(trx, 'packages.finalize', { package_id: row.package_id, user_id: asked.finalize_as });
}

async function queueMail(
  trx: Kysely<Database>,
  { jobs, now, ...limits }: Pick<Services, 'jobs' | 'now' | 'buckets' | 'senderLimits'>,
  row: TransferRow,
): Promise<void> {
  if (!(await mayMailTransfer(limits, row.notify_email))) return;
  const id = newId();
  const at = now();
  await trx
    .insertInto('messages')
    .values({
      id,
      package_id: null,
      kind: 'transfer',
      recipient: row.notify_email,
      link_id: null,
      transfer_id: row.id,
      language: row.notify_language,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await jobs.add(trx, 'mail.send', { message_id: id });
}

function ownerOf(trx: Kysely<Database>, row: TransferRow) {
  return trx.selectFrom('packages').select(['name', 'team_id', 'portal_id']).where('id', '=', row.package_id).executeTakeFirstOrThrow();
}

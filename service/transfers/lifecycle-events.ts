import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamSubscribes } from '../packages/lifecycle-events.ts';
import { type TransferRow, toTransfer } from './record.ts';
import type { Settling } from './settle.ts';

/**
 * Records that a transfer began or is over, in the same transaction as the change: webhooks follow exactly if it is committed
 * (contract/webhooks.md §1).
 */
export function recordTransferEvent({ jobs, now }: Pick<Services, 'jobs' | 'now'>): Settling['record'] {
  return async (trx, event, row) => {
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

function ownerOf(trx: Kysely<Database>, row: TransferRow) {
  return trx.selectFrom('packages').select(['name', 'team_id', 'portal_id']).where('id', '=', row.package_id).executeTakeFirstOrThrow();
}

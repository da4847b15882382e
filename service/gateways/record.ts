import type { Services } from '../handler.ts';
import { recordTransferEvent } from '../transfers/lifecycle-events.ts';
import type { Settling } from '../transfers/settle.ts';

type Recording = Pick<Services, 'jobs' | 'now' | 'buckets' | 'senderLimits' | 'transfers'>;

/** Webhooks and mail about a transfer by a gateway, as about any, and its end among those that this process counts. */
export function countedRecord(services: Recording): Settling['record'] {
  const record = recordTransferEvent(services);
  return async (trx, event, row) => {
    await record(trx, event, row);
    if (event !== 'started') services.transfers.countEnd(event);
  };
}

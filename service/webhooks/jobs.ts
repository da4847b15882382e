import type { BatchHandlersOf } from '../jobs/batches.ts';
import type { JobContext, JobHandlersOf } from '../jobs/context.ts';
import type { JobData } from '../jobs/kinds.ts';
import type { DeliveryKind } from './attempts.ts';
import { newDelivering } from './deliver.ts';
import { fanOut } from './fan-out.ts';

const dayMilliseconds = 24 * 3600_000;
const keptDeliveryDays = 30;
/** Longer than all attempts of a delivery, which take an hour, and than a day's backlog of the queue. */
const keptDeletedDays = 2;

/** Cleanup of old deliveries, and of deleted webhooks with their secrets. */
async function sweep(_: JobData['webhooks.sweep'], { db, now }: JobContext): Promise<void> {
  const before = (days: number) => new Date(now().getTime() - days * dayMilliseconds);
  await db.deleteFrom('webhook_deliveries').where('created_at', '<', before(keptDeliveryDays)).execute();
  await db.deleteFrom('custom_webhooks').where('deleted_at', '<', before(keptDeletedDays)).execute();
}

/** Background jobs of webhooks: contract/webhooks.md §1, §3. */
export const webhookJobs: JobHandlersOf<'webhooks.sweep'> = { 'webhooks.sweep': sweep };

/** Those of a process, which shares out its receivers' places. */
export const newWebhookBatches = (): BatchHandlersOf<'webhooks.announce' | DeliveryKind> => ({
  'webhooks.announce': fanOut,
  'webhooks.deliver': newDelivering('webhooks.deliver'),
  'webhooks.deliver_now': newDelivering('webhooks.deliver_now'),
});

import { deliveryHandlers } from './deliveries.ts';
import { webhookRecordHandlers } from './records.ts';

/** Webhooks, and what they were told. */
export const webhookHandlers = { ...webhookRecordHandlers, ...deliveryHandlers };

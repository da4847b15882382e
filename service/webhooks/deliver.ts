import { performance } from 'node:perf_hooks';
import { gathered } from '../gathered.ts';
import { OutboundError } from '../http/outbound.ts';
import type { BatchContext, BatchHandler } from '../jobs/batches.ts';
import type { Seal } from '../seal.ts';
import { inTrace } from '../tracing/current-trace.ts';
import { type Delivery, type Ended, recordAll, type WebhookRow, whatToDo } from './attempts.ts';
import { type Answer, outcomeOf, outcomeOfTest } from './outcome.ts';
import { Receivers } from './receivers.ts';
import { webhookRequest } from './request.ts';
import { openHeaders, openSecret } from './sealed.ts';

interface Context extends BatchContext {
  readonly receiverOf: (webhook: WebhookRow) => Parameters<typeof webhookRequest>[0];
}

/**
 * Makes the attempts at deliveries, of as many batches at once as there are. Each is sent when its receiver has a place, and is
 * written down when it has an answer, with those that have one at about the same time: none waits for another's receiver.
 * Deleted webhooks still receive events of before their deletion.
 */
export function newDelivering(receivers: Receivers = new Receivers()): BatchHandler<'webhooks.deliver'> {
  let latest: BatchContext;
  // Jobs of all batches are ended in the same way.
  const record = gathered<Ended>((ended) => recordAll(ended, latest));

  return async (jobs, context) => {
    latest = context;
    const { toDo, over } = await whatToDo(context.db, jobs);
    if (over.length > 0) await context.end(over);
    const own = { ...context, receiverOf: opened(context.seal) };
    await Promise.all(
      toDo.map(async ({ job, webhook }) => {
        try {
          await record(await inTrace(job.trace, () => attempt(job, webhook, own, receivers)));
        } catch (error) {
          await context.fail(job, error);
        }
      }),
    );
  };
}

async function attempt(job: Delivery, webhook: WebhookRow, context: Context, receivers: Receivers): Promise<Ended> {
  const { attempt: nth, occasion: event } = job.data;
  const { now, outbound, signal, receiverOf } = context;
  if (!webhook.active && !event.test) {
    const outcome = { state: 'gave_up', error: 'The webhook was turned off before this attempt.', turnOff: false } as const;
    return { job, webhook, at: now(), milliseconds: 0, answer: null, outcome };
  }
  const turn = await receivers.turn(webhook.id);
  if ('putOff' in turn) return { job, putOff: turn.putOff };
  const at = now();
  const started = performance.now();
  const attempted = async (): Promise<Answer> => {
    try {
      const request = webhookRequest(receiverOf(webhook), event, at, job.trace.traceparent);
      return { status: await outbound.send(request, signal, webhook.id) };
    } catch (error) {
      if (error instanceof OutboundError) return { error: error.message };
      throw error;
    }
  };
  try {
    const answer = await attempted();
    const outcome = event.test ? outcomeOfTest(answer) : outcomeOf(nth, answer);
    return { job, webhook, at, milliseconds: Math.round(performance.now() - started), answer, outcome };
  } finally {
    turn.leave();
  }
}

/** Opens what is sealed of each webhook once a batch. */
function opened(seal: Seal): Context['receiverOf'] {
  const receivers = new Map<WebhookRow, ReturnType<Context['receiverOf']>>();
  return (row) => {
    let receiver = receivers.get(row);
    if (!receiver) {
      const { id, url, method, body_extras: bodyExtras } = row;
      receiver = { id, url, method, bodyExtras, headers: openHeaders(seal, row), secret: openSecret(seal, row) };
      receivers.set(row, receiver);
    }
    return receiver;
  };
}

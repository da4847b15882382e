import { performance } from 'node:perf_hooks';
import { gathered } from '../gathered.ts';
import { OutboundError } from '../http/outbound.ts';
import type { BatchContext, BatchHandler } from '../jobs/batches.ts';
import { jobKinds } from '../jobs/kinds.ts';
import type { Seal } from '../seal.ts';
import { inTrace } from '../tracing/current-trace.ts';
import { type Delivery, type DeliveryKind, type Ended, recordAll, type WebhookRow, whatToDo } from './attempts.ts';
import { type Answer, outcomeOf, outcomeOfTest } from './outcome.ts';
import { type Places, Receivers, type Turn } from './receivers.ts';
import { webhookRequest } from './request.ts';
import { openHeaders, openSecret } from './sealed.ts';

interface Context extends BatchContext {
  readonly receiverOf: (webhook: WebhookRow) => Parameters<typeof webhookRequest>[0];
}

const { localConcurrency: all } = jobKinds['webhooks.deliver'];
const placesOfEvents: Places = { fast: 8, slow: 4, silent: 1, unknown: 1, allSlow: all / 2, allNotFast: (all * 3) / 4 };

const askedFor = jobKinds['webhooks.deliver_now'].localConcurrency;
/** Of a Team at once. */
const ofTeam = askedFor / 8;
const placesOfAskedFor: Places = {
  ...{ fast: ofTeam, slow: ofTeam, silent: ofTeam, unknown: ofTeam },
  ...{ allSlow: askedFor, allNotFast: askedFor },
};

/** What deliveries take turns at: of events each webhook, and of what people ask for each Team, whatever waits for its webhooks. */
const turnsOf: Readonly<Record<DeliveryKind, { readonly places: Places; readonly of: (webhook: WebhookRow) => string }>> = {
  'webhooks.deliver': { places: placesOfEvents, of: ({ id }) => id },
  'webhooks.deliver_now': { places: placesOfAskedFor, of: (webhook) => webhook.team_id },
};

/**
 * Makes the attempts at deliveries, of as many batches at once as there are. Each is sent when its receiver has a place, and is
 * written down when it has an answer, with those that have one at about the same time: none waits for another's receiver.
 * Deleted webhooks still receive events of before their deletion.
 */
export function newDelivering(kind: DeliveryKind): BatchHandler<DeliveryKind> {
  const { places, of } = turnsOf[kind];
  const receivers = new Receivers(places);
  let latest: BatchContext;
  // Jobs of all batches are ended in the same way.
  const record = gathered<Ended>((ended) => recordAll(kind, ended, latest));

  return async (jobs, context) => {
    latest = context;
    const { toDo, over } = await whatToDo(context.db, jobs);
    if (over.length > 0) await context.end(over);
    const own = { ...context, receiverOf: opened(context.seal) };
    await Promise.all(
      toDo.map(async ({ job, webhook }) => {
        try {
          await record(await inTrace(job.trace, () => attempt(job, webhook, own, () => receivers.turn(of(webhook)))));
        } catch (error) {
          await context.fail(job, error);
        }
      }),
    );
  };
}

async function attempt(job: Delivery, webhook: WebhookRow, context: Context, next: () => Promise<Turn>): Promise<Ended> {
  const { attempt: nth, occasion: event } = job.data;
  const { now, outbound, signal, receiverOf } = context;
  if (!webhook.active && !event.test) {
    const outcome = { state: 'gave_up', error: 'The webhook was turned off before this attempt.', turnOff: false } as const;
    return { job, webhook, at: now(), milliseconds: 0, answer: null, outcome };
  }
  const turn = await next();
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

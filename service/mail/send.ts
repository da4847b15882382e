import type { MessageState } from '../database/schema/messages.ts';
import type { JobContext, JobHandler } from '../jobs/jobs.ts';
import { jobKinds } from '../jobs/kinds.ts';
import { isAddress, oneLine } from './clean.ts';
import { compose } from './compose.ts';
import { readLetter } from './read.ts';
import type { Delivery } from './transport.ts';

/** Attempts in all, as many as the job is given. With its pauses they last about two days. */
export const attemptsInAll = jobKinds['mail.send'].retryLimit + 1;
/** For so long no other process tries the same message. Longer than an attempt can take. */
const attemptMilliseconds = jobKinds['mail.send'].expireInSeconds * 1_000;

/** A message that was not delivered this time. The job is tried again. */
export class MailDelayed extends Error {
  override readonly name = 'MailDelayed';
  readonly code = 'mail_delayed';
  readonly retryable = true;
}

/**
 * One attempt at one message. It is noted as begun before the mail server hears of it and as sent after that has
 * accepted it: only a crash in between can make a second copy, which has the same Message-ID, so that mailboxes know it.
 */
export const sendMessage: JobHandler<'mail.send'> = async ({ message_id: id }, context) => {
  const message = await claim(context, id);
  if (!message) return;
  const result = await attempt(message, context);
  const last = message.attempts >= attemptsInAll;
  const state = stateAfter(result, last);
  await context.db
    .updateTable('messages')
    .set({ state, busy_until: null, updated_at: context.now(), ...('reason' in result && { last_error: oneLine(result.reason, 1_000) }) })
    .where('id', '=', id)
    .execute();
  if (state === 'waiting' && 'reason' in result) throw new MailDelayed(`A message waits for its next attempt: ${result.reason}`);
  if (state === 'refused' || state === 'gave_up') {
    context.log.warn(
      { message: id, package: message.package_id, reason: 'reason' in result ? result.reason : '' },
      'a message could not be delivered',
    );
  }
};

type Result = Delivery | { readonly outcome: 'withdrawn'; readonly reason: string };

function stateAfter(result: Result, last: boolean): MessageState {
  if (result.outcome !== 'delayed') return result.outcome;
  return last ? 'gave_up' : 'waiting';
}

/** Takes a message for one attempt; null when there is nothing to do for it any more. */
async function claim({ db, now }: JobContext, id: string) {
  const at = now();
  const message = await db
    .updateTable('messages')
    .set((to) => ({ attempts: to('attempts', '+', 1), busy_until: new Date(at.getTime() + attemptMilliseconds), updated_at: at }))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where((where) => where.or([where('busy_until', 'is', null), where('busy_until', '<=', at)]))
    .returning(['id', 'package_id', 'kind', 'recipient', 'link_id', 'attempts', 'created_at'])
    .executeTakeFirst();
  if (message) return message;
  const other = await db.selectFrom('messages').select('state').where('id', '=', id).executeTakeFirst();
  if (other?.state === 'waiting') throw new MailDelayed('An earlier attempt at a message may be under way still.');
  return null;
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claim>>>;

async function attempt(message: Claimed, { db, urls, now, mail, signal }: JobContext): Promise<Result> {
  if (!isAddress(message.recipient)) return { outcome: 'refused', reason: 'This is not an address that mail can be sent to.' };
  const found = await readLetter(db, message, { urls, now });
  if ('withdrawn' in found) return { outcome: 'withdrawn', reason: found.withdrawn };
  const content = await compose(found.letter, {
    id: message.id,
    at: message.created_at,
    from: mail.from,
    to: message.recipient,
    replyTo: found.replyTo,
  });
  return await mail.transport.deliver({ id: message.id, from: mail.from.address, to: message.recipient, content }, signal);
}

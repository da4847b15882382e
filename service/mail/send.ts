import type { MessageState } from '../database/schema/messages.ts';
import { inTransaction } from '../database/transaction.ts';
import type { JobContext, JobHandler } from '../jobs/context.ts';
import { jobKinds } from '../jobs/kinds.ts';
import { noteFailure } from '../notices/record.ts';
import { plainBrand, readBrand } from './brand.ts';
import { isAddress, oneLine } from './clean.ts';
import { compose } from './compose.ts';
import { readLinkCodeLetter } from './link-code-letter.ts';
import { readNoticeLetter } from './notice-letter.ts';
import { readPortalRequestLetter } from './portal-request-letter.ts';
import { readQuotaLetter } from './quota-letter.ts';
import { readLetter, type ToSend } from './read.ts';
import { readAccountLetter } from './read-account.ts';
import { recipientLanguage } from './recipient-language.ts';
import { readTransferLetter } from './transfer-letter.ts';
import type { Delivery } from './transport.ts';

/** Attempts in total, including the retries of the job. With backoff they last about two days. */
const maxAttempts = jobKinds['mail.send'].retryLimit + 1;
/** A lease: for this long no other process tries the same message. Longer than an attempt can take. */
const attemptMilliseconds = jobKinds['mail.send'].expireInSeconds * 1_000;

/** A message that was not delivered this time. The job is retried. */
class MailDelayed extends Error {
  override readonly name = 'MailDelayed';
  readonly code = 'mail_delayed';
  readonly retryable = true;
}

/**
 * One attempt to send one message. The start is recorded before the mail server is contacted, and the success after
 * it has accepted the message. So only a crash in between can send a second copy. It has the same Message-ID, so that
 * mailboxes can detect it.
 */
export const sendMessage: JobHandler<'mail.send'> = async ({ message_id: id }, context) => {
  const message = await claim(context, id);
  if (!message) return;
  const result = await attempt(message, context);
  const last = message.attempts >= maxAttempts;
  const state = stateAfter(result, last);
  const isOver = await inTransaction(context.db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('messages')
      .set({ state, busy_until: null, updated_at: context.now(), ...('reason' in result && { last_error: oneLine(result.reason, 1_000) }) })
      .where('id', '=', id)
      // Its lease ran out while this process stood: what the next attempt has made of it stays.
      .where('attempts', '=', message.attempts)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return true;
    if ((state !== 'refused' && state !== 'gave_up') || message.kind !== 'link' || !('reason' in result)) return false;
    const { package_id: packageId, link_id: linkId } = message;
    await noteFailure(trx, context, { packageId: packageId!, subject: id, linkId, reason: result.reason });
    return false;
  });
  if (isOver) return;
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

/** Takes the lease of a message for one attempt; null when there is nothing left to do for it. */
async function claim({ db, now }: JobContext, id: string) {
  const at = now();
  const message = await db
    .updateTable('messages')
    .set((to) => ({ attempts: to('attempts', '+', 1), busy_until: new Date(at.getTime() + attemptMilliseconds), updated_at: at }))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where((where) => where.or([where('busy_until', 'is', null), where('busy_until', '<=', at)]))
    .returning([
      'id',
      'package_id',
      'kind',
      'recipient',
      'link_id',
      'transfer_id',
      'portal_request_id',
      'notice_id',
      'quota_warning_id',
      'language',
      'attempts',
      'created_at',
    ])
    .executeTakeFirst();
  if (message) return message;
  const other = await db.selectFrom('messages').select('state').where('id', '=', id).executeTakeFirst();
  if (other?.state === 'waiting') throw new MailDelayed('An earlier attempt at a message may be under way still.');
  return null;
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claim>>>;

async function attempt(message: Claimed, context: JobContext): Promise<Result> {
  if (!isAddress(message.recipient)) return { outcome: 'refused', reason: 'This is not an address that mail can be sent to.' };
  const { mail, signal } = context;
  const found = await letterOf({ ...message, language: await recipientLanguage(context.db, message) }, context);
  if ('withdrawn' in found) return { outcome: 'withdrawn', reason: found.withdrawn };
  const brand = found.owner === null ? plainBrand(mail.from.name) : await readBrand(context.db, found.owner, context.urls);
  const content = await compose(found.letter, brand, {
    id: message.id,
    at: message.created_at,
    from: mail.from,
    to: message.recipient,
    replyTo: found.replyTo,
    unsubscribe: found.unsubscribe ?? null,
  });
  return await mail.transport.deliver({ id: message.id, from: mail.from.address, to: message.recipient, content }, signal);
}

function letterOf({ kind, package_id: packageId, ...message }: Claimed, context: JobContext): Promise<ToSend> {
  switch (kind) {
    case 'link':
    case 'receipt':
      // A check constraint of the table guarantees that there is a package.
      return readLetter(context.db, { ...message, kind, package_id: packageId! }, context);
    case 'transfer':
      return readTransferLetter(
        context.db,
        { transfer_id: message.transfer_id!, language: message.language },
        new URL(context.urls.base).host,
      );
    case 'portal_request':
      return readPortalRequestLetter(context.db, { portal_request_id: message.portal_request_id!, language: message.language }, context);
    case 'link_code':
      return readLinkCodeLetter(context.db, message, context);
    case 'notice':
      return readNoticeLetter(context.db, { ...message, notice_id: message.notice_id! }, context);
    case 'quota_warning':
      return readQuotaLetter(context.db, { ...message, quota_warning_id: message.quota_warning_id! }, context);
    default:
      return readAccountLetter(context.db, { ...message, kind }, context);
  }
}

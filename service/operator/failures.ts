import { ApiError } from '#protocol/errors.ts';
import { formatCursor, parseCursor } from '../audit/list.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { failedMails, sendAgain } from '../mail/failed.ts';
import { formatDateTime } from '../wire-times.ts';
import { operatorAccess } from './access.ts';
import { byCall, recordOperatorAct } from './log.ts';

/** Work that failed for good (contract/operator.md §5). */
export const operatorFailureHandlers: HandlersOf<'listFailedJobs' | 'retryFailedJobs' | 'listFailedMails' | 'retryFailedMails'> = {
  async listFailedJobs({ query: { kind, cursor, limit } }, context) {
    const { db, jobQueues } = context;
    await operatorAccess(context);
    const before = cursor === undefined ? null : parseCursor(cursor);
    const [kinds, found] = await Promise.all([
      jobQueues.failedKinds(db),
      jobQueues.failedJobs(db, { kind: kind ?? null, before, limit: limit + 1 }),
    ]);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      kinds: [...kinds],
      records: shown.map(({ created_at, failed_at, reason, ...job }) => ({
        ...job,
        reason: withoutAddresses(reason),
        created_at: formatDateTime(created_at),
        failed_at: formatDateTime(failed_at),
      })),
      ...(found.length > limit && last && { next: formatCursor({ at: last.failed_at, id: last.id }) }),
    };
  },

  async retryFailedJobs({ body: { ids, kind } }, context) {
    const { db, jobQueues } = context;
    const operator = await operatorAccess(context);
    if ((ids === undefined) === (kind === undefined)) {
      throw new ApiError('invalid_request', { detail: 'ids and kind: give one of both.' });
    }
    const retried = await inTransaction(db, async (trx) => {
      const count = await jobQueues.retryFailed(trx, ids ? { ids: ids.filter(isId) } : { kind: kind! });
      const details = { count, ...(kind !== undefined && { kind }) };
      if (count > 0) await recordOperatorAct(trx, byCall(context, operator), { action: 'jobs.retried', details });
      return count;
    });
    return { retried };
  },

  async listFailedMails({ query: { cursor, limit } }, context) {
    await operatorAccess(context);
    if (cursor !== undefined && !isId(cursor)) {
      throw new ApiError('invalid_request', { detail: 'cursor: this is not the `next` of an answer.' });
    }
    const found = await failedMails(context.db, { ...(cursor !== undefined && { before: cursor }), limit: limit + 1 });
    const shown = found.slice(0, limit);
    return {
      records: shown.map(({ package_id, created_at, failed_at, ...mail }) => ({
        ...mail,
        ...(package_id !== null && { package_id }),
        created_at: formatDateTime(created_at),
        failed_at: formatDateTime(failed_at),
      })),
      ...(found.length > limit && { next: shown.at(-1)!.id }),
    };
  },

  async retryFailedMails({ body }, context) {
    const { db, jobs, now } = context;
    const operator = await operatorAccess(context);
    const retried = await inTransaction(db, async (trx) => {
      let count = 0;
      for (const id of new Set(body.ids)) if (isId(id) && (await sendAgain({ db: trx, jobs, now }, id))) count += 1;
      if (count > 0) await recordOperatorAct(trx, byCall(context, operator), { action: 'mails.retried', details: { count } });
      return count;
    });
    return { retried };
  },
};

/** Addresses in a message may hold a secret beyond their host, such as that of a webhook. */
export const withoutAddresses = (text: string): string =>
  text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]*@)?([^\s/?#"']*)[^\s"')]*/gi, '$1$2/…');

import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { distinctRecipients } from '../packages/create.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { formatDateTime } from '../wire-times.ts';
import { isOpen } from './access-code.ts';
import { managedPortal } from './manage.ts';

const dayMilliseconds = 24 * 3_600_000;

/** Mails that ask people to send files through a Portal (contract/portals.md §13). */
export const requestHandlers: HandlersOf<'requestFiles'> = {
  requestFiles: creation(
    ({ params }, context) => managedPortal(context, params.portal_id),
    async ({ body }, context, portal) => {
      const { credential, jobs, now } = context;
      if (!isOpen(portal, now())) throw new ApiError('portal_closed');
      const recipients = distinctRecipients(body.recipients);
      const request = {
        id: newId(),
        team_id: portal.team_id,
        portal_id: portal.id,
        asked_by: credential.userId,
        message: body.message ?? '',
        created_at: now(),
      };
      await inTransaction(context.db, async (trx) => {
        await lockTeam(trx, portal.team_id);
        await requireMailsLeft(trx, portal.team_id, recipients, now());
        await trx.insertInto('portal_requests').values(request).execute();
        for (const recipient of recipients) {
          const message = { id: newId(), package_id: null, link_id: null, created_at: now(), updated_at: now() };
          await trx
            .insertInto('messages')
            .values({
              ...message,
              kind: 'portal_request',
              recipient,
              portal_request_id: request.id,
              language: mailLanguageOf(context.languages),
            })
            .execute();
          await jobs.add(trx, 'mail.send', { message_id: message.id });
        }
      });
      return { id: request.id, recipients, created_at: formatDateTime(request.created_at) };
    },
  ),
};

/**
 * Refuses requests over the limits, so that nobody can flood other people's mailboxes through a Team. The Team's lock
 * is held. Errors: `rate_limited`.
 */
async function requireMailsLeft(trx: Transaction<Database>, teamId: string, recipients: readonly string[], at: Date): Promise<void> {
  const since = new Date(at.getTime() - dayMilliseconds);
  const addresses = recipients.map((address) => address.toLowerCase());
  const { rows } = await sql<{ readonly of_team: number; readonly to_one: number; readonly to_one_of_team: number }>`
    with recent as (
      select lower(messages.recipient) as address, portal_requests.team_id = ${teamId} as ours
      from messages join portal_requests on portal_requests.id = messages.portal_request_id
      where messages.created_at > ${since}::timestamptz
        and (portal_requests.team_id = ${teamId} or lower(messages.recipient) = any(${addresses}::text[]))
    ), each as (
      select count(*) as all, count(*) filter (where ours) as ours from recent where address = any(${addresses}::text[]) group by address
    )
    select (select count(*) from recent where ours)::int as of_team,
      coalesce((select max("all") from each), 0)::int as to_one,
      coalesce((select max(ours) from each), 0)::int as to_one_of_team`.execute(trx);
  const { of_team: ofTeam, to_one: toOne, to_one_of_team: toOneOfTeam } = rows[0]!;
  const { fromOneTeam, fromAll } = limits.portalRequestsPerAddressAndDay;
  const beyond = ofTeam + recipients.length > limits.portalRequestsPerTeamAndDay || toOne >= fromAll || toOneOfTeam >= fromOneTeam;
  if (beyond) throw new ApiError('rate_limited', { seconds: 3_600 });
}

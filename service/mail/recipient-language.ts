import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { MailLanguage } from './language.ts';

/**
 * The language of a message: what the account with the recipient's address has chosen, else what the Team has chosen
 * for its mail, else what the message was made with.
 */
export async function recipientLanguage(
  db: Kysely<Database>,
  { id, recipient, language }: { readonly id: string; readonly recipient: string; readonly language: MailLanguage },
): Promise<MailLanguage> {
  const { rows } = await sql<{ readonly language: MailLanguage | null }>`
    select coalesce(
      (select nullif(users.language, '') from users where lower(users.email) = ${recipient.toLowerCase()}),
      (select nullif(teams.mail_language, '') from teams where teams.id = coalesce(
        (select team_id from packages where packages.id = messages.package_id),
        (select team_id from invitations where invitations.id = messages.invitation_id),
        (select team_id from portal_requests where portal_requests.id = messages.portal_request_id),
        (select team_id from quota_warnings where quota_warnings.id = messages.quota_warning_id),
        (select team_id from links join packages on packages.id = links.package_id where links.id = messages.link_id),
        (select team_id from notices join packages on packages.id = notices.package_id where notices.id = messages.notice_id),
        (select team_id from cloud_transfers join packages on packages.id = cloud_transfers.package_id
          where cloud_transfers.id = messages.transfer_id)))
    ) as language
    from messages where messages.id = ${id}`.execute(db);
  return rows[0]?.language ?? language;
}

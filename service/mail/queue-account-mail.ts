import type { Kysely } from 'kysely';
import { hashMailedToken, type MailedTokens } from '../accounts/mailed-tokens.ts';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import type { Jobs } from '../jobs/ports.ts';
import type { MailLanguage } from './language.ts';

/** A message's id, and the hash of the token that it will contain. */
interface MessageIdentity {
  readonly messageId: string;
  readonly tokenHash: Buffer;
}

/** Chooses a message's id before its row exists, since the row it is about stores the hash of its token. */
export function newMessageIdentity(mailedTokens: MailedTokens): MessageIdentity {
  const messageId = newId();
  return { messageId, tokenHash: hashMailedToken(mailedTokens.of(messageId)) };
}

type About =
  | { readonly kind: 'invitation'; readonly messageId: string; readonly invitationId: string }
  | { readonly kind: 'password_reset'; readonly messageId: string; readonly passwordResetId: string }
  | { readonly kind: 'email_confirmation'; readonly messageId: string }
  | { readonly kind: 'password_changed' | 'email_change_asked' | 'email_changed' | 'factor_added' | 'factor_removed' | 'storage_damaged' };

/** Adds a message about an account, in the transaction `db`: it is sent exactly if that is committed. */
export async function queueAccountMail(
  db: Kysely<Database>,
  { jobs, now }: { readonly jobs: Jobs; readonly now: () => Date },
  about: About & { readonly recipient: string; readonly language: MailLanguage },
): Promise<void> {
  const id = 'messageId' in about ? about.messageId : newId();
  await db
    .insertInto('messages')
    .values({
      id,
      package_id: null,
      kind: about.kind,
      recipient: about.recipient,
      link_id: null,
      invitation_id: about.kind === 'invitation' ? about.invitationId : null,
      password_reset_id: about.kind === 'password_reset' ? about.passwordResetId : null,
      language: about.language,
      created_at: now(),
      updated_at: now(),
    })
    .execute();
  await jobs.add(db, 'mail.send', { message_id: id });
}

import { type Kysely, sql } from 'kysely';
import { hashMailedToken, type MailedTokens } from '../accounts/mailed-tokens.ts';
import type { Database } from '../database/schema/database.ts';
import type { AccountMessageKind } from '../database/schema/messages.ts';
import type { PublicUrls } from '../urls.ts';
import { type AccountLetterFacts, accountLetter } from './account-letter.ts';
import type { MailLanguage } from './language.ts';
import type { ToSend } from './read.ts';

interface AccountMessage {
  readonly id: string;
  readonly kind: AccountMessageKind;
  readonly recipient: string;
  readonly language: MailLanguage;
  readonly created_at: Date;
}

interface Parts {
  readonly urls: PublicUrls;
  readonly now: () => Date;
  readonly mailedTokens: MailedTokens;
}

/** Generates the letter of a message about an account, from the current state. */
export async function readAccountLetter(db: Kysely<Database>, message: AccountMessage, parts: Parts): Promise<ToSend> {
  const found = await readFacts(db, message, parts);
  if (typeof found === 'string') return { withdrawn: found };
  const { teamId = null, ...facts } = found;
  const owner = teamId === null ? null : { teamId, portalId: null };
  return { letter: accountLetter(facts, message.language, new URL(parts.urls.base).host), replyTo: null, owner };
}

/**
 * The facts, or the reason why the message is no longer needed: an invitation was revoked, accepted, sent again, or
 * has expired.
 */
async function readFacts(
  db: Kysely<Database>,
  message: AccountMessage,
  { urls, now, mailedTokens }: Parts,
): Promise<(AccountLetterFacts & { readonly teamId?: string }) | string> {
  const { kind, recipient: email, created_at: at } = message;
  const token = mailedTokens.of(message.id);
  switch (kind) {
    case 'password_changed':
    case 'email_change_asked':
    case 'factor_added':
    case 'factor_removed':
      return { kind, email, at, link: urls.passwordPage() };
    case 'storage_damaged':
      return { kind, email, at, link: urls.operatorPage() };
    case 'email_changed':
      return { kind, email, at };
    case 'email_confirmation': {
      const row = await db
        .selectFrom('email_changes')
        .select(['email', 'expires_at'])
        .where('token_hash', '=', hashMailedToken(token))
        .where('state', '=', 'open')
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return row
        ? { kind, email: row.email, until: row.expires_at, link: urls.emailPage(token) }
        : 'The change of the address was over before the message was sent.';
    }
    case 'invitation': {
      const row = await db
        .selectFrom('invitations')
        .innerJoin('teams', 'teams.id', 'invitations.team_id')
        .innerJoin('users', 'users.id', 'invitations.invited_by')
        .select(['teams.id as teamId', 'teams.name as team', 'users.name', 'users.email', 'invitations.role', 'invitations.expires_at'])
        .where('invitations.token_hash', '=', hashMailedToken(token))
        .where('invitations.accepted_at', 'is', null)
        .where('invitations.revoked_at', 'is', null)
        .where('invitations.expires_at', '>', now())
        .where('teams.state', '=', 'active')
        .executeTakeFirst();
      if (!row) return 'The invitation was over before the message was sent.';
      const { teamId, team, role, expires_at: until, ...inviter } = row;
      return { kind, teamId, team, inviter, role, until, link: urls.invitationPage(token) };
    }
    case 'password_reset': {
      const row = await db
        .selectFrom('password_resets')
        .innerJoin('users', 'users.id', 'password_resets.user_id')
        .select('password_resets.expires_at')
        .where('token_hash', '=', hashMailedToken(token))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now())
        .where(sql`lower(users.email)`, '=', email.toLowerCase())
        .executeTakeFirst();
      return row
        ? { kind, email, until: row.expires_at, link: urls.passwordPage(token) }
        : 'The way to a new password was over before the message was sent.';
    }
  }
}

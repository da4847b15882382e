import type { Generated } from 'kysely';
import type { MailLanguage } from '../../mail/language.ts';

/**
 * `sent`: the mail server accepted it, or it is stored in the outbox folder. `refused`: permanently, for this
 * recipient. `gave_up`: all attempts failed. `withdrawn`: its subject had ended before it was sent.
 */
export type MessageState = 'waiting' | 'sent' | 'refused' | 'gave_up' | 'withdrawn';

/** About a package: `link`, to a recipient, with a link; `receipt`, to the sender. `transfer`: about the end of one. `portal_request`: asks for files. `notice`: what happened to a package. `link_code`: proves whose a link is. `quota_warning`: a limit is reached. The others are about an account. */
type MessageKind = PackageMessageKind | AccountMessageKind | 'transfer' | 'portal_request' | 'notice' | 'link_code' | 'quota_warning';
export type PackageMessageKind = 'link' | 'receipt';
export type AccountMessageKind =
  | 'invitation'
  | 'password_reset'
  | 'password_changed'
  | 'email_confirmation'
  | 'email_change_asked'
  | 'email_changed'
  | 'factor_added'
  | 'factor_removed'
  | 'storage_damaged';

/** Tables of migrations 0007, 0015, 0021, 0028, 0029, 0038, 0043, 0047, 0054 and 0055. */
export interface MessageTables {
  /** One row per message. Its text is generated from the rows it refers to at each attempt. */
  messages: {
    /** Also the Message-ID's first half. */
    id: string;
    /** Null for messages about an account or a transfer. */
    package_id: string | null;
    kind: MessageKind;
    /** E-mail address. */
    recipient: string;
    link_id: string | null;
    transfer_id: Generated<string | null>;
    /** Only for invitations and password resets; their tokens are derived from the message's own id. */
    invitation_id: Generated<string | null>;
    password_reset_id: Generated<string | null>;
    portal_request_id: Generated<string | null>;
    notice_id: Generated<string | null>;
    quota_warning_id: Generated<string | null>;
    /** Where neither recipient nor Team has chosen one (mail/recipient-language.ts). */
    language: Generated<MailLanguage>;
    state: Generated<MessageState>;
    /** Attempts started. */
    attempts: Generated<number>;
    /** A lease: until then an attempt is in progress. */
    busy_until: Generated<Date | null>;
    /** Why it is not `sent`, or why an earlier attempt failed. */
    last_error: Generated<string>;
    /** Also the message's Date. */
    created_at: Date;
    updated_at: Date;
  };
}

import type { Generated } from 'kysely';

/**
 * `sent`: the mail server took it, or it lies in the outbox folder. `refused`: for good, for this recipient.
 * `gave_up`: it could not be delivered in all its attempts. `withdrawn`: what it would have announced was over first.
 */
export type MessageState = 'waiting' | 'sent' | 'refused' | 'gave_up' | 'withdrawn';

/** Tables of migration 0007. */
export interface MessageTables {
  /** One row per message. Its words are made of the package's rows at each attempt. */
  messages: {
    /** Also the Message-ID's first half. */
    id: string;
    package_id: string;
    /** `link`: to a recipient, with a link. `receipt`: to the sender. */
    kind: 'link' | 'receipt';
    /** E-mail address. */
    recipient: string;
    link_id: string | null;
    state: Generated<MessageState>;
    /** Attempts begun. */
    attempts: Generated<number>;
    /** Until then an attempt is under way. */
    busy_until: Generated<Date | null>;
    /** Why it is not `sent`, or was not at first. */
    last_error: Generated<string>;
    /** Also the message's Date. */
    created_at: Date;
    updated_at: Date;
  };
}

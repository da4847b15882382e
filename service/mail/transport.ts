/** A complete message as sent over the network, with its addresses. */
interface OutgoingMail {
  /** The message's own id, unguessable: the same at each attempt. */
  readonly id: string;
  /** Addresses only, without names. */
  readonly from: string;
  readonly to: string;
  /** RFC 5322, lines ending in CRLF. */
  readonly content: Buffer;
}

/** The result of an attempt. Reasons are for operators: one line, bounded, without secrets. */
export type Delivery =
  | { readonly outcome: 'sent' }
  /** Permanent: a retry would not help for this recipient. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Temporary. */
  | { readonly outcome: 'delayed'; readonly reason: string };

/** The destination of messages: a mail server, or a folder. */
export interface MailTransport {
  /** For the log: without user or password. */
  readonly displayUrl: string;
  /** One attempt. Errors of the mail server or the disk are results, not exceptions. */
  deliver(parcel: OutgoingMail, signal: AbortSignal): Promise<Delivery>;
}

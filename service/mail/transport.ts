/** A whole message as it goes over the wire, and for whom. */
export interface Parcel {
  /** The message's own id, unguessable: the same at each attempt. */
  readonly id: string;
  /** Addresses alone. */
  readonly from: string;
  readonly to: string;
  /** RFC 5322, lines ending in CRLF. */
  readonly content: Buffer;
}

/** What an attempt came to. Reasons are for operators: one line, bounded, without secrets. */
export type Delivery =
  | { readonly outcome: 'sent' }
  /** For good: trying again would not help this recipient. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** For now. */
  | { readonly outcome: 'delayed'; readonly reason: string };

/** Where messages go: a mail server, or a folder. */
export interface MailTransport {
  /** For the log: without user or password. */
  readonly place: string;
  /** One attempt. Throws nothing that a mail server or a disk can cause. */
  deliver(parcel: Parcel, signal: AbortSignal): Promise<Delivery>;
}

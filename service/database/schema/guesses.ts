/** Tables of migration 0011. */
export interface GuessTables {
  /** Not kept when the database crashes. */
  guesses: {
    /** SHA-256 of what is guessed at, e.g. an account, or an account from one address. */
    subject: Buffer;
    /** Wrong answers in this window, and those under way. */
    wrong: number;
    /** The window's end. */
    until: Date;
  };
  portal_senders: {
    /** SHA-256 of Portal, address and access code. */
    sender: Buffer;
    portal_id: string;
    known_at: Date;
  };
}

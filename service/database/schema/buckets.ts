/** Tables of migration 0016. */
export interface BucketTables {
  /** Unlogged: emptied when the database crashes. */
  buckets: {
    /** A digest of what is counted, e.g. wrong passwords of an account from one address. */
    subject: Buffer;
    /** When everything that was counted has drained. */
    until: Date;
  };
  known_sources: {
    /** A digest of what was opened, e.g. an account. */
    subject: Buffer;
    /** A digest of the address or device that gave the right answer. */
    source: Buffer;
    known_at: Date;
  };
}

/** Tables for the API as a whole: of migration 0001, and the last two of 0016. */
export interface HttpTables {
  idempotency_answers: {
    /** The caller, endpoint and path. */
    scope: string;
    /** SHA-256 of the Idempotency-Key. */
    key_hash: Buffer;
    body_hash: Buffer;
    /** The response's JSON, sealed: it may contain a secret that is shown only once. Null while the call is in progress. */
    answer: Buffer | null;
    created_at: Date;
  };
  service_facts: {
    name: string;
    value: string;
  };
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

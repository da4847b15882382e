/** Tables of migration 0001 that serve the API as a whole. */
export interface HttpTables {
  idempotency_answers: {
    /** Who asked, for which endpoint and path. */
    scope: string;
    /** SHA-256 of the Idempotency-Key. */
    key_hash: Buffer;
    body_hash: Buffer;
    /** The answer's JSON, sealed: it may hold a secret that is shown only once. Null while being made. */
    answer: Buffer | null;
    created_at: Date;
  };
  service_facts: {
    name: string;
    value: string;
  };
}

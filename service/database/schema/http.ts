/** Tables of migration 0001 for the API as a whole. */
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
}

import type { Generated } from 'kysely';

/** Tables of migration 0029. */
export interface MfaTables {
  /** The authenticator app of a user. */
  totp_secrets: {
    user_id: string;
    /** The secret in Base32 (service/seal.ts); null until the first one is confirmed. */
    sealed: Buffer | null;
    /** The last time step whose code was accepted: a code is good once. */
    last_step: Generated<number>;
    /** A secret that waits to be confirmed. */
    pending_sealed: Buffer | null;
    pending_until: Date | null;
  };
  /** One for each that is left. */
  recovery_codes: {
    user_id: string;
    /** SHA-256. */
    code_hash: Buffer;
  };
  passkeys: {
    id: string;
    user_id: string;
    /** As WebAuthn names it, in base64url. */
    credential_id: string;
    /** COSE. */
    public_key: Buffer;
    /** How often the authenticator says it was used; 0 for those that do not count. */
    counter: number;
    transports: string[];
    name: string;
    created_at: Date;
    last_used_at: Date | null;
  };
  /** Challenges that a passkey has signed, until they would have expired: each is good once. */
  used_challenges: {
    nonce: string;
    expires_at: Date;
  };
}

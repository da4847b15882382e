import type { Generated, JSONColumnType } from 'kysely';
import type { HandoverPart } from '#protocol/hosted/handovers.ts';

/** What a package token says; not of a storage gateway's task. */
export interface HandoverClaims {
  readonly packageId: string;
  readonly variant: 'write' | 'read' | 'manage';
  readonly tokenId: string;
  readonly linkId: string | null;
  readonly userId: string | null;
  /** As of the token: its holder proved whose the link is. */
  readonly verified?: true;
}

/** Tables of migration 0044. */
export interface HandoverTables {
  /** A transfer that a page has begun and an app may go on with (contract/handovers.md §1). */
  handovers: {
    id: string;
    package_id: string;
    /** SHA-256 of the code. */
    code_digest: Buffer;
    /** Of the package token that it was made with: the app's has the same. */
    claims: JSONColumnType<HandoverClaims>;
    /** Of that token, and so of the app's. */
    token_expires_at: Date;
    created_at: Date;
    expires_at: Date;
    cancelled_at: Generated<Date | null>;
    taken_at: Generated<Date | null>;
    /** SHA-256 of the secret of the app that has taken it. */
    claim_digest: Generated<Buffer | null>;
  };
  handover_parts: {
    handover_id: string;
    part: number;
    content: JSONColumnType<HandoverPart>;
    /** Of the content's text. */
    bytes: number;
  };
}

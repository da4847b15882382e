import type { SsoRole } from '#protocol/hosted/sso.ts';

/** Tables of migration 0039. */
export interface SsoTables {
  /** The provider through which members of a Team sign in. */
  sso_connections: {
    team_id: string;
    issuer: string;
    client_id: string;
    /** Sealed (service/seal.ts); null for a public client. */
    sealed_secret: Buffer | null;
    scopes: string[];
    /** Empty: groups are not looked at. */
    group_claim: string;
    /** Of whom no group says anything; null: they are not let in. */
    default_role: SsoRole | null;
    enabled: boolean;
    sso_only: boolean;
    /** Another one with each change of issuer, client or secret: sign-ins that were begun before end in nothing. */
    revision: string;
    /** When a sign-in of this revision has worked last. */
    proven_at: Date | null;
    updated_at: Date;
  };
  sso_group_roles: {
    team_id: string;
    group_name: string;
    role: SsoRole;
    position: number;
  };
  /** A domain is verified for one Team at a time. */
  sso_domains: {
    id: string;
    team_id: string;
    /** In ASCII and small letters. */
    domain: string;
    /** What its TXT record has to say. Not a secret. */
    token: string;
    verified_at: Date | null;
    checked_at: Date | null;
    /** Since when a verified domain's record is gone; null while it is there. */
    missing_since: Date | null;
    created_at: Date;
  };
  /** Who somebody at a provider is here. A user has one for each Team and issuer. */
  sso_identities: {
    team_id: string;
    issuer: string;
    subject: string;
    user_id: string;
    created_at: Date;
  };
  /** Who was removed from a Team, or has left: a company's sign-in does not bring them back by itself. */
  former_members: {
    team_id: string;
    user_id: string;
    left_at: Date;
  };
}

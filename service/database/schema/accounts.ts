import type { Generated } from 'kysely';
import type { VirusPolicy } from '#protocol/hosted/teams.ts';
import type { MailLanguage } from '#protocol/mail-languages.ts';
import type { NoticeKind } from '#protocol/notices.ts';
import type { Role } from '#protocol/roles.ts';

/** Tables of migration 0001 for Teams, people and their keys. Ids are UUIDv7 made by the service. */
export interface AccountTables {
  teams: {
    id: string;
    name: string;
    subdomain: string;
    state: Generated<'active' | 'inactive'>;
    /** Days that a package is kept. */
    custom_expiry_default: Generated<number>;
    custom_expiry_enabled: Generated<boolean>;
    download_limit_default: Generated<number>;
    download_limit_enabled: Generated<boolean>;
    max_email_recipients: Generated<number>;
    /** Since migration 0027: `#rrggbb`, or empty. */
    primary_color: Generated<string>;
    logo_url: Generated<string>;
    background_url: Generated<string>;
    imprint_url: Generated<string>;
    privacy_url: Generated<string>;
    /** Bytes; 0: chosen file by file. */
    chunk_size_default: Generated<number>;
    /** No link without a password. */
    password_required: Generated<boolean>;
    /** Whether links may be for nobody in particular. */
    public_links_allowed: Generated<boolean>;
    /** In ASCII and small letters; empty: any. */
    recipient_domains: Generated<string[]>;
    /** The most days that a package can be kept; 0: no limit. */
    max_expiry_days: Generated<number>;
    /** Since migration 0048: whether links ask their recipient for a mailed code where a sender says nothing. */
    verify_recipient_default: Generated<boolean>;
    /** Every link to somebody asks for a mailed code. */
    verify_recipient_required: Generated<boolean>;
    /** Since migration 0056: what happens to files with a virus. */
    virus_policy: Generated<VirusPolicy>;
    /** Members without a second factor may do nothing in the Team. */
    mfa_required: Generated<boolean>;
    /** Since migration 0032: how long the audit log is kept; 0: for ever. */
    audit_retention_days: Generated<number>;
    /** Since migration 0033: the uploaded images that the addresses above stand for. */
    logo_image_id: Generated<string | null>;
    background_image_id: Generated<string | null>;
    /** Since migration 0035: of mail; empty: not chosen. */
    mail_language: Generated<MailLanguage | ''>;
    /** Since migration 0038: what senders are told of, where they say nothing. */
    notify_default: Generated<NoticeKind[]>;
    /** Since migration 0045: of a GiB for a month; 0: not said. */
    storage_price: Generated<number>;
    /** Three letters of ISO 4217; empty: not said. */
    storage_currency: Generated<string>;
    created_at: Date;
    updated_at: Date;
  };
  users: {
    id: string;
    /** As typed; unique regardless of case. */
    email: string;
    name: string;
    password_hash: string;
    time_zone: Generated<string>;
    /** Since migration 0035: of mail; empty: not chosen. */
    language: Generated<MailLanguage | ''>;
    primary_team_id: string | null;
    preferred_team_id: string | null;
    /** Contained in every user token; increasing it invalidates all tokens issued before. */
    token_version: Generated<number>;
    /** The password was chosen by another person (before invitations existed), who may still know it. */
    password_given: Generated<boolean>;
    /** Since when a sign-in asks for a second factor; null where the user has none. */
    mfa_since: Generated<Date | null>;
    /** To the minute; null if never. */
    seen_at: Generated<Date | null>;
    /** Since migration 0042: of the service, in no Team by that. */
    is_operator: Generated<boolean>;
    created_at: Date;
    updated_at: Date;
  };
  /** Since migration 0045: what a Team had stored at the end of a day (UTC). */
  storage_days: {
    team_id: string;
    day: Date;
    bytes: number;
    packages: number;
  };
  /** Since migration 0051: what storing a GiB for a month costs a Team, from a day (UTC) on. */
  storage_prices: {
    team_id: string;
    /** The first one counts from the year 1. */
    valid_from: Date;
    /** When it was said: a price that is corrected on that day is replaced. */
    set_on: Date;
    /** 0: none. */
    price: number;
    currency: string;
  };
  memberships: {
    id: string;
    team_id: string;
    user_id: string;
    role: Role;
    created_at: Date;
  };
  api_keys: {
    id: string;
    team_id: string;
    /** The user whose permissions the key carries. */
    created_by: string;
    name: string;
    description: string;
    /** The state chosen by its owner. While the Team is inactive the key counts as suspended, whatever this says. */
    state: 'active' | 'inactive';
    expiry: Date | null;
    /** SHA-256 of the secret. The secret itself is stored nowhere. */
    secret_hash: Buffer;
    created_at: Date;
    updated_at: Date;
    last_request_at: Date | null;
  };
}

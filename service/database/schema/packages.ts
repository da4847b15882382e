import type { ColumnType, Generated } from 'kysely';
import type { PackageState } from '#protocol/hosted/packages.ts';
import type { NoticeKind } from '#protocol/notices.ts';

/** A bigint: written as a number, read as text or number. Convert it with `Number` (all of ours are safe integers). */
export type Bigint = ColumnType<string | number, number, number>;
export type BigintOrZero = ColumnType<string | number, number | undefined, number>;

/** Tables for packages and what they are filtered by: of migration 0002, and the last one of 0010. */
export interface PackageTables {
  tags: {
    id: string;
    team_id: string;
    name: string;
    active: Generated<boolean>;
    created_at: Date;
    updated_at: Date;
  };
  teamspaces: {
    id: string;
    team_id: string;
    name: string;
    created_at: Date;
    updated_at: Date;
  };
  teamspace_members: {
    id: string;
    teamspace_id: string;
    user_id: string;
    created_at: Date;
  };
  packages: {
    id: string;
    team_id: string;
    /** Null after that user is deleted. */
    created_by: string | null;
    teamspace_id: string | null;
    tag_id: string | null;
    name: string;
    description: string;
    /** E-mail address. */
    sender: string;
    recipients: string[];
    state: Generated<PackageState>;
    /** Bytes and number of files: 0 until the package is finalized. */
    size: BigintOrZero;
    total_files: Generated<number>;
    /** Bytes that the package uses in the storage: its size while finalized, 0 before and after. */
    usage_total_bytes: BigintOrZero;
    /** Null: never. */
    expiry: Date | null;
    /** When a person deleted it, before its time; null for one that expired, and for those deleted by earlier versions. */
    deleted_at: Generated<Date | null>;
    /** Since migration 0053: since when nothing may end it, who said so, and why (packages/hold.ts); null without a hold. */
    held_at: Generated<Date | null>;
    held_by: Generated<string | null>;
    hold_reason: Generated<string | null>;
    /** Whether a user set the expiry; otherwise the Team's default was used. */
    custom_expiry: Generated<boolean>;
    unlimited_storage: boolean;
    /** For new links. 0: unlimited. */
    access_limit: number;
    /** Of migration 0047: whether its links ask for a mailed code. */
    verify_recipient: Generated<boolean>;
    /** For new links. */
    password_hash: string | null;
    contains_virus: Generated<boolean>;
    /** Bytes; 0: the default. */
    chunk_size: Bigint;
    /** The Portal it was received through; null for others, and after that Portal is deleted. */
    portal_id: Generated<string | null>;
    /** Whether it was received through a Portal, even if that was deleted since. */
    through_portal: Generated<boolean>;
    form_response_id: Generated<string | null>;
    /** From a private Portal: visible only to users in its access list. Stays so when the Portal is deleted. */
    private: Generated<boolean>;
    /** Since when a package that has ended waits for its storage to be freed; null before, and once it is freed. */
    free_asked_at: Generated<Date | null>;
    /** Null before that. */
    finalized_at: Generated<Date | null>;
    /** Since migration 0038: what its sender is told of. */
    notify: Generated<NoticeKind[]>;
    /** Whether its present expiry has been told, or needs no telling. */
    expiry_told: Generated<boolean>;
    created_at: Date;
    updated_at: Date;
  };
  receipts: {
    package_id: string;
    /** Signs the list of the package's files (docs/decisions/0019). */
    jws: string;
    created_at: Date;
  };
}

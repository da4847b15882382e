import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import type { CloudTransferState, RenamedFile } from '#protocol/hosted/transfers.ts';
import type { Direction, ProviderName } from '#protocol/providers.ts';
import type { MailLanguage } from '../../mail/language.ts';
import type { Bigint, BigintOrZero } from './packages.ts';

/** Tables of migration 0018: transfers between packages and connected storage. */
export interface TransferTables {
  cloud_transfers: {
    id: string;
    package_id: string;
    /** Null for single-use credentials. */
    cloud_connection_id: string | null;
    direction: Direction;
    provider: ProviderName;
    /** Single-use credentials; null for a connection, and as soon as the transfer is over. */
    sealed_authorization: Buffer | null;
    /** A digest of where the bytes go, the same for all connections that lead there. */
    destination: Buffer;
    /** The folder as it was set, with its placeholders; empty for the usual one. */
    target_directory_id: string;
    /** The filter as it was when the transfer was made; null for none. */
    filter_rules: JSONColumnType<readonly FilterRule[], string | null, never> | null;
    /** Where it lands, once claimed. */
    folder: Generated<string | null>;
    /** A digest that reserves the folder at the destination; null before, and after the first file exists in the folder. */
    folder_key: Generated<Buffer | null>;
    state: Generated<CloudTransferState>;
    /** The reason of the state `error`, or another note. */
    message: Generated<string>;
    /** Number of attempts that were started. */
    attempts: Generated<number>;
    /** Failures since the last progress. */
    failures: Generated<number>;
    /** Whether the rows of its files are created. */
    planned: Generated<boolean>;
    /** Whether unfinished uploads at the provider have to be deleted. */
    cleanup: Generated<boolean>;
    bytes: BigintOrZero;
    total_bytes: BigintOrZero;
    files: Generated<number>;
    total_files: Generated<number>;
    /** Since migration 0023. Names that a storage gateway's disk could not hold as they are, the first of them. */
    renamed: ColumnType<readonly RenamedFile[], never, string>;
    /** Empty: nobody is notified. */
    notify_email: Generated<string>;
    notify_language: Generated<MailLanguage>;
    /** Since migration 0037. Of an import: as whom the package is finalized once everything has come in; null for nobody. */
    finalize_as: Generated<string | null>;
    /** When a process may start it, or when its lease expires, by the database's clock; null once it has ended. */
    due_at: Generated<Date | null>;
    /** The lease of the process that works on it. */
    lease_id: Generated<string | null>;
    created_at: Date;
    updated_at: Date;
  };
  cloud_transfer_files: {
    transfer_id: string;
    /** From 1, folder by folder; 0 is the manifest. */
    position: number;
    /** The transfer's own id for the manifest. */
    file_id: string;
    /** Bytes; 0 for a directory. */
    size: Bigint;
    /** Full path at the provider. */
    target: Generated<string | null>;
    /** The provider's handle of an unfinished upload. */
    sealed_upload: Generated<Buffer | null>;
    /** Bytes of it that the provider has confirmed. */
    stored: BigintOrZero;
    /** The provider's id of the complete file; null before. */
    object_id: Generated<string | null>;
    etag: Generated<string>;
    /** Why it could not be delivered. */
    message: Generated<string>;
  };
  /** Which file has a name, by a digest of its path in lower case, where the provider ignores case. */
  cloud_transfer_names: { transfer_id: string; key: Buffer; owner: string };
}

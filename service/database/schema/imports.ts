import type { Generated } from 'kysely';
import type { Bigint, BigintOrZero } from './packages.ts';

/** Tables of migration 0020: what transfers bring into packages. */
export interface ImportTables {
  /** What was asked for. */
  cloud_import_items: {
    transfer_id: string;
    /** From 0, in the order asked. */
    position: number;
    /** The key or full path at the provider. */
    source: string;
    /** Its path in the package. */
    name: string;
    kind: 'file' | 'directory';
    /** Asks for the next page of a folder; null at its beginning. */
    cursor: Generated<string | null>;
    /** Whether all of it is in cloud_import_files. */
    known: Generated<boolean>;
  };
  cloud_import_files: {
    transfer_id: string;
    /** From 0, in the order found. */
    position: number;
    /** SHA-256 of path and name, as files have it. */
    path_hash: Buffer;
    kind: 'file' | 'directory';
    /** The provider's id. */
    source: string;
    path: string;
    name: string;
    /** Bytes. */
    size: Bigint;
    /** The version that is brought. */
    etag: string;
    modified: Date | null;
    /** A row in files that there is, or was to be made. */
    file_id: Generated<string | null>;
    chunk_size: BigintOrZero;
    upload_id: Generated<string | null>;
    /** Bytes that the storage has confirmed. */
    stored: BigintOrZero;
    /** How often it changed while it came. */
    restarts: Generated<number>;
    complete: Generated<boolean>;
    /** Why it could not be brought. */
    message: Generated<string>;
  };
  /** Chunks that are stored, of files that are not complete. */
  cloud_import_chunks: { transfer_id: string; position: number; number: number; etag: string; digest: Buffer; size: Bigint };
}

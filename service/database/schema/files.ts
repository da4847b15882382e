import type { ColumnType, Generated } from 'kysely';
import type { Bigint } from './packages.ts';

/** Tables of migration 0002 for the files of packages. */
export interface FileTables {
  files: {
    id: string;
    package_id: string;
    /** SHA-256 of path and name: unique within a package. */
    place: Buffer;
    kind: 'file' | 'directory';
    path: string;
    name: string;
    last_modified: Date | null;
    state: 'new' | 'finalized';
    /** Bytes; null while the sender does not know. */
    size: ColumnType<string | number | null, number | null, number>;
    /** Bytes; 0 for a directory. */
    chunk_size: Bigint;
    /** ETag of the whole object, once finalized. */
    etag: string | null;
    digest: string | null;
    /** CRC-32 of the whole object; null until a zip has needed it. */
    crc32: ColumnType<string | number | null, undefined, number>;
    /** SHA-256 of the claim that the sender finalized it with. */
    fingerprint: Buffer | null;
    /** The unfinalized file with the same path and name that this one replaced. */
    replaced_id: string | null;
    virus_detected: Generated<boolean>;
    created_at: Date;
    /** Since migration 0049. The file's key at the storage where that is not its id (files/object-key.ts). */
    object_key: string | null;
  };
  /** Since migration 0049. Objects that hold the bytes of many files (files/segments.ts). */
  segments: {
    id: string;
    /** Of all files that were ever recorded in it. */
    bytes: Bigint;
    /** Of these, the bytes and the number of those that are still there. */
    live_bytes: Bigint;
    live_files: number;
    /** The packages of its files, some of which may be gone. */
    package_ids: string[];
    /** When its first file was recorded. */
    created_at: Date;
    /** Until when somebody may hold an address of a file that has left it for another one; null if none has. */
    kept_until: Date | null;
    /** Since when no file may be recorded in it any more; null while some may. */
    freed_at: Date | null;
    /** When the storage deleted it. */
    deleted_at: Date | null;
  };
  /** Storage keys that no file uses any more, kept until nothing can be stored under them. */
  freed_objects: {
    key: string;
    noted_at: Date;
    /** When the storage first deleted the object. */
    freed_at: Generated<Date | null>;
  };
}

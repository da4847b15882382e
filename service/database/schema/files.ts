import type { ColumnType, Generated } from 'kysely';
import type { Bigint } from './packages.ts';

/** Tables of migration 0002 for the files of packages. */
export interface FileTables {
  files: {
    /** Also the file's key at the storage. */
    id: string;
    package_id: string;
    /** SHA-256 of path and name: what may be in a package once. */
    place: Buffer;
    kind: 'file' | 'directory';
    path: string;
    name: string;
    last_modified: Date | null;
    state: 'new' | 'finalized';
    /** Bytes; null while the sender does not know. */
    size: ColumnType<string | number | null, number | null, number>;
    /** Bytes; 0 of a directory. */
    chunk_size: Bigint;
    /** Of the whole object, once finalized. */
    etag: string | null;
    digest: string | null;
    /** CRC-32 of the whole object; null until a zip has needed it. */
    crc32: ColumnType<string | number | null, undefined, number>;
    /** SHA-256 of what the sender finalized it with. */
    fingerprint: Buffer | null;
    /** The unfinalized file of the same place that this one took over from. */
    replaced_id: string | null;
    virus_detected: Generated<boolean>;
    created_at: Date;
  };
  /** Keys at the storage that no file has any more, until nothing can appear under them. */
  freed_objects: {
    key: string;
    noted_at: Date;
    /** When the storage first let go of it. */
    freed_at: Generated<Date | null>;
  };
}

import type { Selectable } from 'kysely';
import type { ChunkChecksum, File } from '#protocol/hosted/files.ts';
import type { Database } from '../database/schema/database.ts';
import { formatDateTime } from '../wire-times.ts';

/** The columns that a file's record needs. */
export type FileRow = Pick<
  Selectable<Database['files']>,
  'id' | 'kind' | 'path' | 'name' | 'last_modified' | 'state' | 'size' | 'chunk_size' | 'etag' | 'digest' | 'virus_detected'
>;

export const fileColumns = [
  'id',
  'kind',
  'path',
  'name',
  'last_modified',
  'state',
  'size',
  'chunk_size',
  'etag',
  'digest',
  'virus_detected',
] as const;

/** Small files may be packed, with other etags than the storage has for its own objects. */
const isBlake3 = (etag: string | null): boolean => etag?.startsWith('b3-') ?? false;

/** A file's record, as creation and listing give it (contract/files-and-blueprints.md §5). */
export function toFile(row: FileRow, chunkChecksum: ChunkChecksum): File {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    path: row.path,
    last_modified: formatDateTime(row.last_modified),
    virus_detected: row.virus_detected,
    state: row.state,
    ...(row.size !== null && { size: Number(row.size) }),
    ...(row.kind === 'file' && { chunk_size: Number(row.chunk_size), chunk_checksum: isBlake3(row.etag) ? 'blake3' : chunkChecksum }),
    ...(row.etag !== null && { etag: row.etag }),
    ...(row.digest !== null && { digest: row.digest }),
  };
}

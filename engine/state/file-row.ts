import { errorCatalogue } from '#protocol/errors.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { type FileError, type FileRecord, type NewFile, notStarted, type RemoteFile } from '../transfer/record.ts';

/**
 * A file as the state file has it: '' and 0 stand for what is not known yet. That form is older than the records' own,
 * and stays: every version of the agent reads it.
 */
export interface Row {
  id: number;
  kind: FileRecord['kind'];
  path: string;
  name: string;
  local: string;
  size: number;
  modified_at: number;
  inode: string;
  state: FileRecord['state'];
  remote_id: string;
  upload_id: string;
  chunk_size: number;
  chunk_checksum: string;
  unknown_size: number;
  digest: string;
  error: string | null;
}

type RemoteColumns = Pick<Row, 'remote_id' | 'upload_id' | 'chunk_size' | 'chunk_checksum' | 'unknown_size'>;

export function recordIn(row: Row): FileRecord {
  const { id, kind, path, name, local, size, modified_at: modifiedAt, inode, state } = row;
  const remote = remoteIn(row);
  // A literal of its own: a copy with one more field takes 40 bytes more, and most records in memory are pending.
  if (state === 'pending') return { id, kind, path, name, local, size, modifiedAt, inode, remote, state };
  const entry = { id, kind, path, name, local, size, modifiedAt, inode, remote };
  switch (state) {
    case 'complete':
      return row.digest === '' ? { ...entry, state } : { ...entry, state, digest: row.digest };
    case 'growing':
      return { ...entry, state };
    case 'skipped':
      return { ...entry, state, error: errorIn(row.error) };
    default:
      // A damaged state too: such a file must not count as sent.
      return { ...entry, state: 'error', error: errorIn(row.error) };
  }
}

function remoteIn({ remote_id: fileId, upload_id: uploadId, chunk_size, chunk_checksum, unknown_size, digest, state }: Row): RemoteFile {
  const chunkSize = chunk_size || limits.defaultChunkSize;
  if (fileId === '') return uploadId === '' ? notStarted : { state: 'packed', uploadId, chunkSize };
  if (uploadId !== '') {
    const chunkChecksum = (chunk_checksum || 'none') as ChunkChecksum;
    if (unknown_size === 1) return { state: 'open', fileId, uploadId, chunkSize, chunkChecksum, unknownSize: true };
    return { state: 'open', fileId, uploadId, chunkSize, chunkChecksum };
  }
  // The column is the sender's digest until the file is complete, and its own from then on.
  if (digest === '' || state === 'complete') return { state: 'stored', fileId, chunkSize };
  return { state: 'stored', fileId, chunkSize, digest };
}

/** The columns of what is known of a file at the service. */
export function remoteColumns(remote: RemoteFile): RemoteColumns {
  switch (remote.state) {
    case 'none':
      return { remote_id: '', upload_id: '', chunk_size: 0, chunk_checksum: '', unknown_size: 0 };
    case 'open': {
      const { fileId, uploadId, chunkSize, chunkChecksum, unknownSize } = remote;
      return {
        remote_id: fileId,
        upload_id: uploadId,
        chunk_size: chunkSize,
        chunk_checksum: chunkChecksum,
        unknown_size: unknownSize ? 1 : 0,
      };
    }
    case 'packed':
      return { remote_id: '', upload_id: remote.uploadId, chunk_size: remote.chunkSize, chunk_checksum: '', unknown_size: 0 };
    case 'stored':
      return { remote_id: remote.fileId, upload_id: '', chunk_size: remote.chunkSize, chunk_checksum: '', unknown_size: 0 };
  }
}

/** The row of a new file, without its id. */
export function rowOf(file: NewFile): Omit<Row, 'id'> {
  const { kind, path, name, local, size, modifiedAt, inode, remote = notStarted } = file;
  return {
    kind,
    path,
    name,
    local,
    size,
    modified_at: modifiedAt,
    inode,
    state: file.state ?? 'pending',
    ...remoteColumns(remote),
    digest: (file.state === 'complete' ? file.digest : remote.state === 'stored' ? remote.digest : undefined) ?? '',
    error: file.error ? JSON.stringify(file.error) : null,
  };
}

/** A corrupted error text is shown as it is, so that the other fields of the file are not lost. */
function errorIn(text: string | null): FileError {
  try {
    return JSON.parse(text ?? '') as FileError;
  } catch {
    return { code: errorCatalogue.agent_fault.code, message: text ?? '' };
  }
}

import type Database from 'better-sqlite3';
import type { OpenUpload } from '#client/upload.ts';
import type { ChunkRecord, FailedFile, FileError, FileRecord, NewFile } from '../transfer/record.ts';
import { type Row, recordIn, remoteColumns, rowOf } from './file-row.ts';

/** Progress of the files of a transfer. Sizes in bytes; `bytes` counts the complete chunks. */
interface FileCounts {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What a receipt has of a file. `digest`: '' where there is none; of a file that is not complete, the sender's. */
export type FileEntry = Pick<Row, 'id' | 'kind' | 'path' | 'name' | 'size' | 'state' | 'digest'>;

/** The files and chunks tables. */
export interface Files {
  insert(transferId: string, files: Iterable<NewFile>): void;
  removeAll(transferId: string): void;
  /** Removes about this number of rows, including those of noted chunks. False if there was nothing to remove. */
  removeSome(transferId: string, rows: number): boolean;
  /** The next files that are not begun or not ended, by id. */
  pending(transferId: string, afterId: number, limit: number): FileRecord[];
  one(id: number): FileRecord | null;
  /** The next files that are still being written to, by id. */
  growing(transferId: string, afterId: number, limit: number): FileRecord[];
  /** The files that are not complete, whether they can still complete or not. */
  unfinished(transferId: string, afterId: number, limit: number): FileRecord[];
  /** All files, by id. */
  after(transferId: string, afterId: number, limit: number): FileRecord[];
  /** The same, no more than a receipt has of them. */
  entries(transferId: string, afterId: number, limit: number): FileEntry[];
  /** Their paths in the package, by id. */
  paths(transferId: string, afterId: number, limit: number): Pick<FileRecord, 'id' | 'path' | 'name' | 'state'>[];
  /** One page by id, filtered by state if given. */
  page(
    transferId: string,
    offset: number,
    limit: number,
    state?: FileRecord['state'],
  ): { total: number; records: (FileRecord & { bytes: number })[] };
  counts(transferId: string): FileCounts;
  completeBytes(transferId: string): number;
  /** The first complete files and folders, by id. */
  complete(transferId: string, limit: number): FileRecord[];
  /** The completed files, without folders. */
  sent(transferId: string): { readonly files: number; readonly bytes: number };
  /** Complete files and folders of a download whose names here are others than in the package: how many, and the first. */
  renamed(
    transferId: string,
    limit: number,
  ): { readonly total: number; readonly first: readonly { readonly from: string; readonly to: string }[] };
  /** `onlySenderHelps`: whether none of them can come, whatever is done on this side. */
  failures(transferId: string): { count: number; first: FailedFile | null; onlySenderHelps: boolean };
  /** An upload exists at the storage: from here on no confirmed chunk is sent again. */
  started(id: number, upload: OpenUpload): void;
  /** A small file is sent under this id, and may be at the storage from here on: whoever comes back asks before it is sent again. */
  packed(id: number, uploadId: string, chunkSize: number): void;
  /** A small file that went or came in one: nothing is noted of its chunk. */
  completedAtOnce(id: number, digest: string): void;
  /** The same of files whose digest the list of their package has said, and that came with it. */
  completedAsListed(ids: readonly number[]): void;
  /** `digest` is absent for a folder. */
  completed(id: number, digest?: string): void;
  failed(id: number, error: FileError): void;
  skipped(id: number, why: FileError): void;
  movedTo(id: number, local: string): void;
  /** A changed file counts as another one: all its progress is reset. */
  restamped(id: number, stamp: { size: number; mtimeMs: number; inode: string }): void;
  /** A file that is being written to has this size now. */
  grew(id: number, size: number): void;
  /** It is still, and is sent as it is. What was noted of its upload stays. */
  stillAs(id: number, stamp: { size: number; mtimeMs: number; inode: string }): void;
  /**
   * It is being written to again. Its chunks stay noted where its upload was begun without a size, except one that was its
   * last and not full; else it is begun again.
   */
  markGrowing(id: number): void;
  remove(id: number): void;
  /** Failed files are retried, except those without a target path. */
  retryFailed(transferId: string): void;
  /**
   * Resets at most `limit` files after an id, except those left out on purpose, as if nothing had been sent. Returns
   * the last id; `null` if there was none.
   */
  resetSome(transferId: string, afterId: number, limit: number): number | null;
  /** Resets one file. */
  reset(id: number): void;
  chunks(id: number): Map<number, ChunkRecord>;
  /** Files of a transfer with noted chunks: few, since the chunks of a complete file are deleted. */
  withChunks(transferId: string): ReadonlySet<number>;
  chunkDone(id: number, number: number, chunk: ChunkRecord): void;
  /** `all`: the upload is gone, together with everything noted about it. */
  chunksForgotten(id: number, numbers: readonly number[] | 'all'): void;
}

/** Completed bytes of a file: all of a complete one, otherwise those of its noted chunks. */
const doneBytes = `CASE f.state WHEN 'complete' THEN f.size ELSE
  coalesce((SELECT sum(min(f.chunk_size, f.size - c.number * f.chunk_size)) FROM chunks c WHERE c.file_id = f.id), 0) END`;

/** The states that are shown as this one. */
const shownAs = (state: FileRecord['state']): [string, string] => (state === 'pending' ? ['pending', 'growing'] : [state, state]);

export function filesTable(db: Database.Database): Files {
  const insert = db.prepare(`
    INSERT INTO files (transfer_id, kind, path, name, local, size, modified_at, inode, state,
                       remote_id, upload_id, chunk_size, chunk_checksum, unknown_size, digest, error)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const addNames = db.prepare('INSERT OR REPLACE INTO file_names (rowid, name) SELECT id, name FROM files WHERE id BETWEEN ? AND ?');
  const removeAll = db.prepare('DELETE FROM files WHERE transfer_id = ?');
  const idsAfter = db.prepare<[string, number, number], { id: number }>(
    'SELECT id FROM files WHERE transfer_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const pending = db.prepare<[string, number, number], Row>(
    "SELECT * FROM files WHERE transfer_id = ? AND state = 'pending' AND id > ? ORDER BY id LIMIT ?",
  );
  const byId = db.prepare<[number], Row>('SELECT * FROM files WHERE id = ?');
  const growing = db.prepare<[string, number, number], Row>(
    "SELECT * FROM files WHERE transfer_id = ? AND state = 'growing' AND id > ? ORDER BY id LIMIT ?",
  );
  const unfinished = db.prepare<[string, number, number], Row>(
    "SELECT * FROM files WHERE transfer_id = ? AND state <> 'complete' AND id > ? ORDER BY id LIMIT ?",
  );
  const after = db.prepare<[string, number, number], Row>('SELECT * FROM files WHERE transfer_id = ? AND id > ? ORDER BY id LIMIT ?');
  const entries = db.prepare<[string, number, number], FileEntry>(
    'SELECT id, kind, path, name, size, state, digest FROM files WHERE transfer_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const paths = db.prepare<[string, number, number], Pick<Row, 'id' | 'path' | 'name' | 'state'>>(
    'SELECT id, path, name, state FROM files WHERE transfer_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const page = db.prepare<[string, number, number], Row & { bytes: number }>(
    `SELECT f.*, ${doneBytes} AS bytes FROM files f WHERE f.transfer_id = ? ORDER BY f.id LIMIT ? OFFSET ?`,
  );
  const pageIn = db.prepare<[string, string, string, number, number], Row & { bytes: number }>(
    `SELECT f.*, ${doneBytes} AS bytes FROM files f WHERE f.transfer_id = ? AND f.state IN (?, ?) ORDER BY f.id LIMIT ? OFFSET ?`,
  );
  const total = db.prepare<[string], { total: number }>('SELECT count(*) AS total FROM files WHERE transfer_id = ?');
  const totalIn = db.prepare<[string, string, string], { total: number }>(
    'SELECT count(*) AS total FROM files WHERE transfer_id = ? AND state IN (?, ?)',
  );
  const counts = db.prepare<[string], { files: number; total_files: number; bytes: number; total_bytes: number }>(`
    SELECT coalesce(sum(f.state = 'complete'), 0) AS files, count(*) AS total_files,
      coalesce(sum(${doneBytes}), 0) AS bytes, coalesce(sum(f.size), 0) AS total_bytes
    FROM files f WHERE f.transfer_id = ? AND f.state <> 'skipped'`);
  const complete = db.prepare<[string, number], Row>(
    "SELECT * FROM files WHERE transfer_id = ? AND state = 'complete' ORDER BY id LIMIT ?",
  );
  const completeBytes = db.prepare<[string], { sum: number }>(
    "SELECT coalesce(sum(size), 0) AS sum FROM files WHERE transfer_id = ? AND state = 'complete'",
  );
  const sent = db.prepare<[string], { files: number; bytes: number }>(
    "SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE transfer_id = ? AND state = 'complete' AND kind = 'file'",
  );
  const isRenamed = "transfer_id = ? AND state = 'complete' AND local <> CASE path WHEN '' THEN name ELSE path || '/' || name END";
  const renamedTotal = db.prepare<[string], { total: number }>(`SELECT count(*) AS total FROM files WHERE ${isRenamed}`);
  const renamedFirst = db.prepare<[string, number], Pick<Row, 'path' | 'name' | 'local'>>(
    `SELECT path, name, local FROM files WHERE ${isRenamed} ORDER BY id LIMIT ?`,
  );
  const failureCount = db.prepare<[string], { count: number }>(
    "SELECT count(*) AS count FROM files WHERE transfer_id = ? AND state = 'error'",
  );
  const otherwiseFailed = db.prepare<[string], { id: number }>(
    `SELECT id FROM files WHERE transfer_id = ? AND state = 'error'
      AND iif(json_valid(error), json_extract(error, '$.remedy'), '') IS NOT 'ask_sender' LIMIT 1`,
  );
  const firstFailure = db.prepare<[string], Row>("SELECT * FROM files WHERE transfer_id = ? AND state = 'error' ORDER BY id LIMIT 1");
  const started = db.prepare(
    'UPDATE files SET remote_id = ?, upload_id = ?, chunk_size = ?, chunk_checksum = ?, unknown_size = ? WHERE id = ?',
  );
  const packed = db.prepare(
    "UPDATE files SET remote_id = '', upload_id = ?, chunk_size = ?, chunk_checksum = '', unknown_size = 0 WHERE id = ?",
  );
  const completed = db.prepare("UPDATE files SET state = 'complete', digest = ?, error = NULL WHERE id = ?");
  const completedAsListed = db.prepare("UPDATE files SET state = 'complete', error = NULL WHERE id IN (SELECT value FROM json_each(?))");
  const failed = db.prepare("UPDATE files SET state = 'error', error = ? WHERE id = ?");
  const skipped = db.prepare("UPDATE files SET state = 'skipped', error = ? WHERE id = ?");
  const movedTo = db.prepare('UPDATE files SET local = ? WHERE id = ?');
  const restamped = db.prepare("UPDATE files SET size = ?, modified_at = ?, inode = ?, remote_id = '', upload_id = '' WHERE id = ?");
  const grew = db.prepare('UPDATE files SET size = ? WHERE id = ?');
  const stillAs = db.prepare("UPDATE files SET size = ?, modified_at = ?, inode = ?, state = 'pending', error = NULL WHERE id = ?");
  const forgetUnlessGrown = db.prepare(`
    DELETE FROM chunks WHERE file_id = @id AND EXISTS (
      SELECT 1 FROM files f WHERE f.id = @id AND (f.unknown_size = 0 OR (chunks.number + 1) * f.chunk_size > f.size))`);
  const markGrowing = db.prepare(`
    UPDATE files SET state = 'growing', error = NULL, remote_id = iif(unknown_size = 1, remote_id, ''),
      upload_id = iif(unknown_size = 1, upload_id, '')
    WHERE id = ?`);
  const remove = db.prepare('DELETE FROM files WHERE id = ?');
  const retryFailed = db.prepare(
    "UPDATE files SET state = 'pending', error = NULL WHERE transfer_id = ? AND state = 'error' AND local <> ''",
  );
  const resetRow = db.prepare(`
    UPDATE files SET state = 'pending', error = NULL, remote_id = '', upload_id = '', digest = ''
    WHERE id = ? AND state <> 'skipped'`);
  const chunksOf = db.prepare<[number], { number: number; etag: string; blake3: string }>(
    'SELECT number, etag, blake3 FROM chunks WHERE file_id = ? ORDER BY number',
  );
  const withChunks = db.prepare<[string], { id: number }>(
    'SELECT DISTINCT f.id FROM chunks c CROSS JOIN files f ON f.id = c.file_id WHERE f.transfer_id = ?',
  );
  const chunkDone = db.prepare('INSERT OR REPLACE INTO chunks (file_id, number, etag, blake3) VALUES (?, ?, ?, ?)');
  const forgetChunk = db.prepare('DELETE FROM chunks WHERE file_id = ? AND number = ?');
  const forgetUpload = db.prepare("UPDATE files SET remote_id = '', upload_id = '' WHERE id = ? AND upload_id <> ''");
  const forgetChunks = db.prepare('DELETE FROM chunks WHERE file_id = ?');

  const reset = (id: number): void => {
    forgetChunks.run(id);
    resetRow.run(id);
  };

  return {
    insert(transferId, files) {
      let first: number | bigint | null = null;
      let last: number | bigint = 0;
      // By position: values by name cost half as much again.
      for (const file of files) {
        const row = rowOf(file);
        const inserted = insert.run(
          transferId,
          row.kind,
          row.path,
          row.name,
          row.local,
          row.size,
          row.modified_at,
          row.inode,
          row.state,
          row.remote_id,
          row.upload_id,
          row.chunk_size,
          row.chunk_checksum,
          row.unknown_size,
          row.digest,
          row.error,
        );
        last = inserted.lastInsertRowid;
        first ??= last;
      }
      // Ids ascend, so the batch is a range of them. One statement for all: the search's index is written after each.
      if (first !== null) addNames.run(first, last);
    },
    removeAll: (transferId) => void removeAll.run(transferId),
    removeSome(transferId, rows) {
      const found = idsAfter.all(transferId, 0, rows);
      let left = rows;
      for (const { id } of found) {
        if (left <= 0) break;
        // One file at a time: each of many files in progress may have ten thousand chunks.
        left -= 1 + forgetChunks.run(id).changes;
        remove.run(id);
      }
      return found.length > 0;
    },
    pending: (transferId, afterId, limit) => pending.all(transferId, afterId, limit).map(recordIn),
    one(id) {
      const row = byId.get(id);
      return row ? recordIn(row) : null;
    },
    growing: (transferId, afterId, limit) => growing.all(transferId, afterId, limit).map(recordIn),
    unfinished: (transferId, afterId, limit) => unfinished.all(transferId, afterId, limit).map(recordIn),
    after: (transferId, afterId, limit) => after.all(transferId, afterId, limit).map(recordIn),
    entries: (transferId, afterId, limit) => entries.all(transferId, afterId, limit),
    paths: (transferId, afterId, limit) => paths.all(transferId, afterId, limit),
    page: (transferId, offset, limit, state) => ({
      total: (state === undefined ? total.get(transferId) : totalIn.get(transferId, ...shownAs(state)))?.total ?? 0,
      records: (state === undefined ? page.all(transferId, limit, offset) : pageIn.all(transferId, ...shownAs(state), limit, offset)).map(
        (row) => ({
          ...recordIn(row),
          bytes: row.bytes,
        }),
      ),
    }),
    counts(transferId) {
      const row = counts.get(transferId);
      return { files: row?.files ?? 0, totalFiles: row?.total_files ?? 0, bytes: row?.bytes ?? 0, totalBytes: row?.total_bytes ?? 0 };
    },
    complete: (transferId, limit) => complete.all(transferId, limit).map(recordIn),
    completeBytes: (transferId) => completeBytes.get(transferId)?.sum ?? 0,
    sent: (transferId) => sent.get(transferId) ?? { files: 0, bytes: 0 },
    renamed: (transferId, limit) => ({
      total: renamedTotal.get(transferId)?.total ?? 0,
      first: renamedFirst
        .all(transferId, limit)
        .map(({ path, name, local }) => ({ from: path === '' ? name : `${path}/${name}`, to: local })),
    }),
    failures(transferId) {
      const row = firstFailure.get(transferId);
      const first = row ? recordIn(row) : null;
      return {
        count: failureCount.get(transferId)?.count ?? 0,
        first: first?.state === 'error' ? first : null,
        onlySenderHelps: first !== null && otherwiseFailed.get(transferId) === undefined,
      };
    },
    started(id, upload) {
      const { remote_id, upload_id, chunk_size, chunk_checksum, unknown_size } = remoteColumns({ state: 'open', ...upload });
      started.run(remote_id, upload_id, chunk_size, chunk_checksum, unknown_size, id);
    },
    packed: (id, uploadId, chunkSize) => void packed.run(uploadId, chunkSize, id),
    completedAtOnce: (id, digest) => void completed.run(digest, id),
    completedAsListed(ids) {
      if (ids.length > 0) completedAsListed.run(JSON.stringify(ids));
    },
    completed(id, digest = '') {
      completed.run(digest, id);
      forgetChunks.run(id);
    },
    failed: (id, error) => void failed.run(JSON.stringify(error), id),
    skipped: (id, why) => void skipped.run(JSON.stringify(why), id),
    movedTo: (id, local) => void movedTo.run(local, id),
    restamped(id, { size, mtimeMs, inode }) {
      forgetChunks.run(id);
      restamped.run(size, mtimeMs, inode, id);
    },
    grew: (id, size) => void grew.run(size, id),
    stillAs: (id, { size, mtimeMs, inode }) => void stillAs.run(size, mtimeMs, inode, id),
    markGrowing(id) {
      forgetUnlessGrown.run({ id });
      markGrowing.run(id);
    },
    remove: (id) => void remove.run(id),
    retryFailed: (transferId) => void retryFailed.run(transferId),
    resetSome(transferId, afterId, limit) {
      const found = idsAfter.all(transferId, afterId, limit);
      for (const { id } of found) reset(id);
      return found.at(-1)?.id ?? null;
    },
    reset,
    chunks: (id) => new Map(chunksOf.all(id).map((row) => [row.number, { etag: row.etag, blake3: row.blake3 }])),
    withChunks: (transferId) => new Set(withChunks.all(transferId).map(({ id }) => id)),
    chunkDone: (id, number, chunk) => void chunkDone.run(id, number, chunk.etag, chunk.blake3),
    chunksForgotten(id, numbers) {
      if (numbers === 'all') {
        forgetChunks.run(id);
        forgetUpload.run(id);
      } else for (const number of numbers) forgetChunk.run(id, number);
    },
  };
}

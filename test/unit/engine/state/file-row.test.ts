import { describe, expect, test } from 'vitest';
import { type Row, recordIn, remoteColumns, rowOf } from '#engine/state/file-row.ts';
import { digestOfFile, type FileRecord, type NewFile, notStarted, type RemoteFile } from '#engine/transfer/record.ts';
import { limits } from '#protocol/limits.ts';

/** As the first versions of the agent wrote it, and as all of them read it. */
const saved: Row = {
  id: 7,
  kind: 'file',
  path: 'a',
  name: 'b.mov',
  local: '/a/b.mov',
  size: 30,
  modified_at: 1.5,
  inode: '1:2',
  state: 'pending',
  remote_id: '',
  upload_id: '',
  chunk_size: 0,
  chunk_checksum: '',
  unknown_size: 0,
  digest: '',
  error: null,
};

const entry = { kind: 'file', path: 'a', name: 'b.mov', local: '/a/b.mov', size: 30, modifiedAt: 1.5, inode: '1:2' } as const;
const error = { code: 3, message: 'gone' };

const remotes: [RemoteFile, Partial<Row>][] = [
  [notStarted, {}],
  [
    { state: 'open', fileId: 'f', uploadId: 'u', chunkSize: 10, chunkChecksum: 'blake3' },
    { remote_id: 'f', upload_id: 'u', chunk_size: 10, chunk_checksum: 'blake3' },
  ],
  [
    { state: 'packed', uploadId: 'u', chunkSize: 10 },
    { upload_id: 'u', chunk_size: 10 },
  ],
  [
    { state: 'stored', fileId: 'f', chunkSize: 10 },
    { remote_id: 'f', chunk_size: 10 },
  ],
  [
    { state: 'stored', fileId: 'f', chunkSize: 10, digest: 'blake3:x' },
    { remote_id: 'f', chunk_size: 10, digest: 'blake3:x' },
  ],
];

describe('a file at the service', () => {
  test.each(remotes)('%j is saved as older versions read it, and read again', (remote, columns) => {
    const { id: _, ...row } = { ...saved, ...columns };
    expect(rowOf({ ...entry, remote })).toEqual(row);
    expect({ ...saved, ...remoteColumns(remote) }).toEqual({ ...saved, ...columns, digest: '' });
    expect(recordIn({ ...saved, ...columns })).toEqual({ ...entry, id: 7, state: 'pending', remote });
  });

  test('of which nothing is known is one object for all files', () => {
    expect(recordIn(saved).remote).toBe(recordIn({ ...saved, id: 8 }).remote);
  });

  test('of an older version has the chunk size that every version takes for none', () => {
    expect(recordIn({ ...saved, remote_id: 'f' }).remote).toEqual({ state: 'stored', fileId: 'f', chunkSize: limits.defaultChunkSize });
  });
});

describe('what became of a file', () => {
  test.each<[NewFile, Partial<Row>]>([
    [entry, { state: 'pending' }],
    [{ ...entry, state: 'complete' }, { state: 'complete' }],
    [
      { ...entry, state: 'complete', digest: 'blake3:x' },
      { state: 'complete', digest: 'blake3:x' },
    ],
    [
      { ...entry, state: 'error', error },
      { state: 'error', error: JSON.stringify(error) },
    ],
    [
      { ...entry, state: 'skipped', error },
      { state: 'skipped', error: JSON.stringify(error) },
    ],
  ])('%j is saved as older versions read it, and read again', (file, columns) => {
    const { id, ...row } = { ...saved, ...columns };
    expect(rowOf(file)).toEqual(row);
    expect(recordIn({ ...row, id })).toEqual({ state: 'pending', ...file, id, remote: notStarted });
  });

  test('a damaged reason is shown as it is, and a damaged state counts as a failure', () => {
    expect(recordIn({ ...saved, state: 'error', error: '{"co' })).toMatchObject({ state: 'error', error: { message: '{"co' } });
    expect(recordIn({ ...saved, state: 'pendinh' as FileRecord['state'] }).state).toBe('error');
  });

  test("the digest is the sender's until the file has its own", () => {
    const stored = { ...saved, remote_id: 'f', chunk_size: 10, digest: 'blake3:x' };
    expect([recordIn(saved), recordIn(stored), recordIn({ ...stored, state: 'complete' })].map(digestOfFile)).toEqual([
      undefined,
      'blake3:x',
      'blake3:x',
    ]);
  });
});

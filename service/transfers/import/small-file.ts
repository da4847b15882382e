import { createHash } from 'node:crypto';
import { partEtag } from '#protocol/storage/requests.ts';
import { hexOf } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { CreatedFile, Importer } from './importer.ts';
import type { FinishedFile, ImportedChunk } from './ports.ts';
import { readVersion } from './source-bytes.ts';

/** An etag that may be the MD5 of the bytes. */
const md5Pattern = /^[0-9a-f]{32}$/;

/** A file of one chunk, of which many fit into memory. Not for one whose upload was begun. */
export const isSmall = ({ size, chunkSize, uploadId }: CreatedFile, { capacity }: Pick<TransferMemory, 'capacity'>): boolean =>
  uploadId === null && size <= chunkSize && size <= capacity / 8;

export interface Brought {
  readonly chunks: readonly ImportedChunk[];
  readonly upload: FinishedFile['upload'];
}

/** Brings a small file by one write, without an upload. */
export async function bringSmall({ provider, storage, memory, signal }: Importer, file: CreatedFile): Promise<Brought> {
  const { size } = file;
  const release = await memory.acquire(size, signal);
  try {
    const pieces: Buffer[] = [];
    for await (const bytes of readVersion(provider, file, 0, size, signal)) pieces.push(bytes);
    const bytes = Buffer.concat(pieces);
    const digest = hexOf(bytes);
    const object = await storage.write(file.fileId, bytes);
    const ownDigest = storage.chunkChecksum === 'blake3';
    const isMd5 = storage.chunkChecksum === 'md5' && md5Pattern.test(object.etag);
    const wrong = object.size !== size || (isMd5 && object.etag !== createHash('md5').update(bytes).digest('hex'));
    if (wrong) throw new StorageError('storage_unavailable', 'A file arrived at the storage as other bytes. Try again soon.');
    const etag = ownDigest ? partEtag(digest) : object.etag;
    return { chunks: [{ number: 1, etag, digest, size }], upload: { objectEtag: object.etag } };
  } finally {
    release();
  }
}

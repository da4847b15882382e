import { Blake3Hasher } from '@napi-rs/blake-hash';
import { blake3OfEtag } from '#protocol/storage/requests.ts';
import { StorageError } from '#storage/errors.ts';
import { createPartTasks } from '../delivery/part-tasks.ts';
import type { CreatedFile, FileCount, Importer } from './importer.ts';
import type { ImportedChunk } from './ports.ts';
import type { Brought } from './small-file.ts';
import { readVersion } from './source-bytes.ts';

/** Bytes in buffers of a chunk that streams: a block that is written, one that comes, and what connections hold. */
const streamBytes = 3 * 1024 * 1024;

/**
 * Brings a file chunk by chunk, each streamed from the provider to our storage. Chunks that are stored already are not asked
 * for again. Errors: `no_such_upload` where our storage has lost the upload.
 */
export async function bringChunks(importer: Importer, file: CreatedFile, count: FileCount): Promise<Brought> {
  const { memory, concurrency, signal } = importer;
  const { chunks, upload } =
    file.uploadId === null ? { chunks: [], upload: await begin(importer, file) } : await resume(importer, file, file.uploadId);
  count.set(chunks.reduce((sum, { size }) => sum + size, 0));
  const stored = new Map(chunks.map((chunk) => [chunk.number, chunk]));
  const total = Math.max(1, Math.ceil(file.size / file.chunkSize));
  const tasks = createPartTasks(concurrency, signal);
  try {
    for (let number = 1; number <= total; number++) {
      if (stored.has(number)) continue;
      const release = await memory.acquire(Math.min(streamBytes, memory.capacity / 4), tasks.signal);
      try {
        await tasks.start(async () => {
          try {
            const chunk = await bringChunk(importer, file, upload, number, tasks.signal);
            stored.set(number, chunk);
            count.add(chunk.size);
          } finally {
            release();
          }
        });
      } catch (error) {
        release();
        throw error;
      }
    }
    await tasks.end();
  } catch (error) {
    await tasks.cancel(error);
    throw error;
  }
  return { chunks: [...stored.values()].sort((one, other) => one.number - other.number), upload: { id: upload } };
}

async function begin({ storage, writer }: Importer, file: CreatedFile): Promise<string> {
  const uploadId = await storage.begin(file.fileId);
  await writer.write({ kind: 'begun', position: file.position, uploadId });
  file.uploadId = uploadId;
  return uploadId;
}

/** What is stored of it, as both the journal and our storage say. */
async function resume({ storage, journal }: Importer, { fileId, position, size }: CreatedFile, upload: string) {
  const noted = await journal.chunks(position);
  try {
    const there = new Map((await storage.listParts(fileId, upload)).map((part) => [part.partNumber, part]));
    const chunks = noted.filter(({ number, etag, size: bytes }) => there.get(number)?.etag === etag && there.get(number)?.size === bytes);
    return { chunks, upload };
  } catch (error) {
    const isWhole = noted.reduce((sum, chunk) => sum + chunk.size, 0) === size;
    // It was put together, and the process ended before its row knew.
    if (isWhole && error instanceof StorageError && error.code === 'no_such_upload') return { chunks: noted, upload };
    throw error;
  }
}

async function bringChunk(
  { provider, storage, writer }: Importer,
  file: CreatedFile,
  uploadId: string,
  number: number,
  signal: AbortSignal,
): Promise<ImportedChunk> {
  const start = (number - 1) * file.chunkSize;
  const end = Math.min(file.size, start + file.chunkSize);
  const size = end - start;
  let hasher: Blake3Hasher | null = null;
  async function* bytes(): AsyncGenerator<Buffer> {
    const hash = storage.chunkChecksum === 'blake3' ? null : new Blake3Hasher();
    hasher = hash;
    for await (const piece of readVersion(provider, file, start, end, signal)) {
      hash?.update(piece);
      yield piece;
    }
  }
  const { etag } = await storage.putPart({ key: file.fileId, uploadId, partNumber: number, size, open: bytes }, signal);
  // Our own storage names a part by its BLAKE3.
  const digest = blake3OfEtag(etag) ?? (hasher as Blake3Hasher | null)!.digest('hex');
  const chunk = { number, etag, digest, size };
  await writer.write({ kind: 'chunk', position: file.position, chunk });
  return chunk;
}

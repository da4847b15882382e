import { sep } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import type { PartToPut, StoredPart } from '../ports.ts';
import { blockSize } from './block-writer.ts';
import { randomName } from './disk.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { partFile } from './layout.ts';

type Part = Pick<PartToPut, 'partNumber' | 'size' | 'open'>;

/** A missing folder means that the upload was ended. */
const explained = (error: unknown): StorageError => (isAbsent(error) ? noSuchUpload({ cause: error }) : diskError(error));

async function onDisk<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error);
  }
}

/**
 * Writes a part whose bytes the service itself sends into the upload's folder. It gets its name only after its bytes are
 * flushed, since the source is not read again for a part that counts as stored. After any failure it is deleted.
 */
export async function writePart(files: FileSystem, folder: string, part: Part, signal: AbortSignal): Promise<StoredPart> {
  const path = `${folder}${sep}.${randomName()}`;
  const file = await onDisk(() => files.open(path, openFlags.create, 0o600));
  try {
    const hex = await writeBytes(file, part, signal);
    const { file: name, partNumber, etag, size } = partFile(part.partNumber, part.size, hex);
    await onDisk(() => files.rename(path, `${folder}${sep}${name}`));
    return { partNumber, etag, size };
  } catch (error) {
    await files.remove(path).catch(() => undefined);
    throw error;
  }
}

/** Writes one block while the next one is received. Returns the BLAKE3 in hex. */
async function writeBytes(file: OpenFile, { size, open }: Part, signal: AbortSignal): Promise<string> {
  const hasher = new Blake3Hasher();
  let pieces: Buffer[] = [];
  let held = 0;
  let position = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    await onDisk(() => writing);
    const [block, at] = [pieces, position];
    position += held;
    pieces = [];
    held = 0;
    writing = writeFully(file, block, at);
    // Awaited before the next block. Until then the source may fail, and this error must not count as unhandled.
    writing.catch(() => undefined);
  };
  try {
    for await (const piece of open()) {
      signal.throwIfAborted();
      hasher.update(piece);
      pieces.push(piece);
      held += piece.length;
      if (held >= blockSize) await write();
    }
    await write();
    await onDisk(() => writing);
    if (position !== size) throw new StorageError('storage_unavailable', 'A part has another size than it should. Try again soon.');
    await onDisk(() => file.flush());
  } finally {
    await writing.catch(() => undefined);
    await file.close();
  }
  return hasher.digest('hex');
}

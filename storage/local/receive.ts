import * as fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join, sep } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { hexOf } from '../digests.ts';
import { randomName } from './disk.ts';
import { GatheringWriter, gatherSize, skip, writesInFlight } from './gathering-writer.ts';
import { type PartFile, partFile, partFiles } from './layout.ts';
import type { ReceivedParts } from './received-parts.ts';

/** What one sender can hold of this process's memory. */
export const memoryOf = (length: number): number => Math.min(length, gatherSize * (writesInFlight + 1));

/** The connection ended before the part did. There is nobody left to answer. */
export class SenderGone extends Error {
  override readonly name = 'SenderGone';
}

export interface PartToReceive {
  /** The upload's. */
  readonly folder: string;
  readonly partNumber: number;
  /** Bytes. */
  readonly length: number;
  readonly received: ReceivedParts;
}

/**
 * Streams a request's body into the upload's folder under a temporary name, and gives it its name once it
 * is whole. Whatever goes wrong, nothing stays. Rejects with `SenderGone` or what the file system said;
 * `ENOENT` means that the upload is no more.
 */
export async function receivePart(request: IncomingMessage, { folder, partNumber, length, received }: PartToReceive): Promise<PartFile> {
  const temporary = `${folder}${sep}.${randomName()}`;
  try {
    const hex = length <= gatherSize ? await receiveSmall(request, temporary, length) : await receiveLarge(request, temporary, length);
    return putInPlace(temporary, { folder, partNumber, length, received }, hex);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A part whose bytes are at hand. Throws what the file system says; nothing stays then. */
export function storePart(bytes: Buffer, part: PartToReceive): PartFile {
  const temporary = `${part.folder}${sep}.${randomName()}`;
  try {
    writeNew(temporary, [bytes], bytes.length);
    return putInPlace(temporary, part, hexOf(bytes));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A body of at most so many bytes as the caller has room for. Rejects with `SenderGone`. */
export async function collect(request: IncomingMessage, length: number): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await follow(request, length, (piece) => pieces.push(piece));
  return pieces;
}

/** Gives a file that is whole its name among the upload's parts. */
export function putInPlace(temporary: string, { folder, partNumber, length, received }: PartToReceive, hex: string): PartFile {
  const part = partFile(partNumber, length, hex);
  const again = received.mark(folder, partNumber);
  fs.renameSync(temporary, `${folder}${sep}${part.file}`);
  if (again) removeOlder(folder, part);
  return part;
}

/** The same part sent before with other bytes. */
function removeOlder(folder: string, part: PartFile): void {
  for (const other of partFiles(fs.readdirSync(folder))) {
    if (other.partNumber === part.partNumber && other.file !== part.file) fs.rmSync(join(folder, other.file), { force: true });
  }
}

/** Calls back with the body's pieces. Resolves at its end, rejects when it is cut off. */
function follow(request: IncomingMessage, length: number, onData: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    request.on('data', (piece: Buffer) => {
      received += piece.length;
      onData(piece);
    });
    let ended = false;
    request.on('end', () => {
      ended = true;
      if (received === length) resolve();
      else reject(new SenderGone('The body is not as long as it said.'));
    });
    request.on('error', (cause) => reject(new SenderGone('The connection was cut.', { cause })));
    // Comes after every body, and making an error is dear.
    request.on('close', () => {
      if (!ended) reject(new SenderGone('The connection was closed.'));
    });
  });
}

/** Small bodies fit in memory: one file, few calls, no promises for each. */
async function receiveSmall(request: IncomingMessage, path: string, length: number): Promise<string> {
  const hasher = new Blake3Hasher();
  const pieces: Buffer[] = [];
  await follow(request, length, (piece) => {
    hasher.update(piece);
    pieces.push(piece);
  });
  writeNew(path, pieces, length);
  return hasher.digest('hex');
}

function writeNew(path: string, pieces: readonly Buffer[], length: number): void {
  const file = fs.openSync(path, 'wx', 0o600);
  try {
    let rest = pieces;
    for (let left = length; left > 0; ) {
      const written = fs.writevSync(file, rest);
      left -= written;
      rest = skip(rest, written);
    }
  } finally {
    fs.closeSync(file);
  }
}

async function receiveLarge(request: IncomingMessage, path: string, length: number): Promise<string> {
  const file = await new Promise<number>((resolve, reject) => {
    fs.open(path, 'wx', 0o600, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const hasher = new Blake3Hasher();
  const writer = new GatheringWriter(file, { pause: () => request.pause(), resume: () => request.resume() });
  try {
    const received = follow(request, length, (piece) => {
      hasher.update(piece);
      writer.add(piece);
    });
    await Promise.race([received, writer.failed]);
    await writer.finish();
  } finally {
    await writer.idle();
    await new Promise<void>((resolve, reject) => {
      fs.close(file, (error) => (error ? reject(error) : resolve()));
    });
  }
  return hasher.digest('hex');
}

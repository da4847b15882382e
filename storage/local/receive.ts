import type { IncomingMessage } from 'node:http';
import { join, sep } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { openFlags } from '#filesystem/flags.ts';
import { writeFullyNow } from '#filesystem/fully.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { hexOf } from '../digests.ts';
import { BlockWriter, blockSize } from './block-writer.ts';
import { randomName } from './disk.ts';
import { type PartFile, partFile, partFiles } from './layout.ts';
import type { ReceivedParts } from './received-parts.ts';
import { tooMuchAtOnce } from './refusal.ts';

/** Overhead of each piece of a body in memory: a sender may send single bytes. */
const pieceBytes = 256;

/** The connection ended before the part was complete. No answer can be sent. */
export class SenderGone extends Error {
  override readonly name = 'SenderGone';
}

export interface PartToReceive {
  /** The upload's folder. */
  readonly folder: string;
  readonly partNumber: number;
  /** Bytes. */
  readonly length: number;
  readonly received: ReceivedParts;
  readonly files: FileSystem;
}

/**
 * Streams a request's body to the upload's folder under a temporary name, and gives it its final name once it is
 * complete. After any failure the file is deleted. Rejects with `SenderGone`, with a `Refusal` where memory is short,
 * or with the file system's error; `ENOENT` means that the upload no longer exists.
 */
export async function receivePart(request: IncomingMessage, part: PartToReceive, memory: MemoryReservation): Promise<PartFile> {
  const { folder, length, files } = part;
  const temporary = `${folder}${sep}.${randomName()}`;
  try {
    const receive = length <= blockSize ? receiveSmall : receiveLarge;
    const hex = await receive(files, request, temporary, length, memory);
    return putInPlace(temporary, part, hex);
  } catch (error) {
    files.removeNow(temporary);
    throw error;
  }
}

/** Stores a part whose bytes are in memory. Throws the file system's error; nothing is kept then. */
export function storePart(bytes: Buffer, part: PartToReceive): PartFile {
  const temporary = `${part.folder}${sep}.${randomName()}`;
  try {
    writeNew(part.files, temporary, [bytes]);
    return putInPlace(temporary, part, hexOf(bytes));
  } catch (error) {
    part.files.removeNow(temporary);
    throw error;
  }
}

/**
 * Reads a whole body; its memory is reserved as the bytes are received. Rejects with `SenderGone`, or with a `Refusal`
 * without free memory.
 */
export async function collect(request: IncomingMessage, length: number, memory: MemoryReservation): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await follow(request, length, memory, (piece) => {
    if (!memory.take(piece.length + pieceBytes)) throw tooMuchAtOnce();
    pieces.push(piece);
  });
  return pieces;
}

/** The same into memory that is there already, of at least `length` bytes; after the end nothing is written to it any more. */
export async function collectInto(target: Buffer, request: IncomingMessage, length: number, memory: MemoryReservation): Promise<void> {
  let at = 0;
  await follow(request, length, memory, (piece) => {
    if (!memory.take(piece.length + pieceBytes)) throw tooMuchAtOnce();
    at += piece.copy(target, at);
  });
}

/** Gives a complete file its final name among the upload's parts. */
export function putInPlace(temporary: string, { folder, partNumber, length, received, files }: PartToReceive, hex: string): PartFile {
  const part = partFile(partNumber, length, hex);
  const isRepeated = received.mark(folder, partNumber);
  files.rename(temporary, `${folder}${sep}${part.file}`);
  if (isRepeated) removeOlder(files, folder, part);
  return part;
}

/** Deletes an earlier version of the part, with other bytes. */
function removeOlder(files: FileSystem, folder: string, part: PartFile): void {
  for (const other of partFiles(files.list(folder))) {
    if (other.partNumber === part.partNumber && other.file !== part.file) files.removeNow(join(folder, other.file));
  }
}

/**
 * Calls `onData` with the body's pieces. Resolves at the end; rejects when the connection is cut, and with an error
 * that `onData` throws.
 */
function follow(request: IncomingMessage, length: number, memory: MemoryReservation, onData: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let refused = false;
    request.on('data', (piece: Buffer) => {
      // A refused sender may continue to send for a while; the bytes are discarded.
      if (refused || memory.isEnded) return;
      received += piece.length;
      memory.moved(piece.length);
      try {
        onData(piece);
      } catch (error) {
        refused = true;
        reject(error);
      }
    });
    let ended = false;
    request.on('end', () => {
      ended = true;
      if (received === length) resolve();
      else reject(new SenderGone('The body is not as long as it said.'));
    });
    request.on('error', (cause) => reject(new SenderGone('The connection was cut.', { cause })));
    // `close` follows every body, so an error is created only where needed: creating one is expensive.
    request.on('close', () => {
      if (!ended) reject(new SenderGone('The connection was closed.'));
    });
  });
}

/** Small bodies fit in memory: one file, few calls, no promise for each call. */
async function receiveSmall(
  files: FileSystem,
  request: IncomingMessage,
  path: string,
  length: number,
  memory: MemoryReservation,
): Promise<string> {
  const hasher = new Blake3Hasher();
  const pieces: Buffer[] = [];
  await follow(request, length, memory, (piece) => {
    if (!memory.take(piece.length + pieceBytes)) throw tooMuchAtOnce();
    hasher.update(piece);
    pieces.push(piece);
  });
  writeNew(files, path, pieces);
  return hasher.digest('hex');
}

function writeNew(files: FileSystem, path: string, pieces: readonly Buffer[]): void {
  const file = files.openNow(path, openFlags.create, 0o600);
  try {
    writeFullyNow(file, pieces, 0);
  } finally {
    file.closeNow();
  }
}

/**
 * Without free memory it writes its buffered bytes and pauses reading until memory is free. It occupies no memory while
 * it waits, so it never waits for itself.
 */
async function receiveLarge(
  files: FileSystem,
  request: IncomingMessage,
  path: string,
  length: number,
  memory: MemoryReservation,
): Promise<string> {
  const file = await files.open(path, openFlags.create, 0o600);
  const hasher = new Blake3Hasher();
  const gate = createGate(request);
  const pieces = { bytes: 0, held: 0 };
  const writer = new BlockWriter(file, { pause: () => gate.close('disk'), resume: () => gate.open('disk') }, (bytes) => {
    // The overhead is released with the last byte of the pieces.
    pieces.bytes -= bytes;
    const held = pieces.bytes === 0 ? pieces.held : bytes;
    pieces.held -= held;
    memory.give(held);
  });
  try {
    const received = follow(request, length, memory, (piece) => {
      hasher.update(piece);
      const held = piece.length + pieceBytes;
      pieces.bytes += piece.length;
      pieces.held += held;
      const enough = memory.takeAnyway(held);
      writer.add(piece);
      if (enough || gate.isClosed('memory')) return;
      gate.close('memory');
      writer.flush();
      memory.wait(0, () => gate.open('memory'));
    });
    await Promise.race([received, writer.failed]);
    await writer.finish();
  } finally {
    await writer.idle();
    await file.close();
  }
  return hasher.digest('hex');
}

/** Pauses a body for one or more reasons; it resumes when no reason is left. */
function createGate(request: IncomingMessage) {
  const reasons = new Set<'disk' | 'memory'>();
  return {
    isClosed: (reason: 'disk' | 'memory') => reasons.has(reason),
    close(reason: 'disk' | 'memory') {
      reasons.add(reason);
      request.pause();
    },
    open(reason: 'disk' | 'memory') {
      reasons.delete(reason);
      if (reasons.size === 0) request.resume();
    },
  };
}

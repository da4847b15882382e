import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { objectDamaged } from '../errors.ts';
import type { BufferPool } from './buffer-pool.ts';
import { compare, smallPart } from './compare.ts';
import { comparing, uncompared } from './compare-while-sending.ts';
import type { ComparedParts } from './compared-parts.ts';
import type { PartFile } from './layout.ts';
import type { Stretch } from './ranges.ts';
import { ReceiverGone } from './receiver-gone.ts';

/** Size of an answer's first buffers. A receiver that stops reading after the head occupies two of these. */
export const firstReadSize = 128 * 1024;

/**
 * Bytes after which a connection's answers get large buffers. Fewer bytes may all be in the kernels' buffers of both
 * sides, so a receiver that has read none of them would look fast. They are counted over all answers of a connection: a
 * file is fetched as ranges, which are mostly shorter than this.
 */
const firstBytes = 16 * 1024 * 1024;

/** The peer that an answer goes to. */
interface Receiver {
  readonly memory: MemoryReservation;
  /** `sent`: bytes that the connection has taken, of all its answers. */
  readonly connection: { sent: number };
  /** It does not compare what it gets by itself. */
  readonly trusts: boolean;
  /** Whose budget parts are read from to compare them; empty where unknown. */
  readonly address: string;
}

/** Shared by all answers. */
export interface SendingPorts {
  readonly files: FileSystem;
  readonly pool: BufferPool;
  readonly firstPool: BufferPool;
  readonly syncWhenFast: SyncWhenFast;
  readonly compared: ComparedParts;
}

/**
 * Streams ranges of files as the body of an answer whose head is set, and ends it. Two buffers alternate: one is filled
 * while the other is sent. Rejects with the file system's error; if bytes were already sent, the connection is cut, so
 * that no receiver takes an incomplete answer for a complete one. Waits for the receiver's share of memory.
 */
export async function sendStretches(
  response: ServerResponse,
  stretches: readonly Stretch[],
  pathOf: (file: string) => string,
  ports: SendingPorts,
  receiver: Receiver,
): Promise<void> {
  const [first] = stretches;
  if (!first) return void response.end();
  const { memory } = receiver;
  try {
    const small = stretches.length === 1 ? smallPart(first) : null;
    if (small) return await sendBytes(response, small.size, () => readPart(ports.files, pathOf(first.file), first, small), memory);
    if (stretches.length > 1 || first.length > smallFileSize) return await sendLarge(response, stretches, pathOf, ports, receiver);
    // Of a larger part, so it is compared before, as a whole.
    if (receiver.trusts) await comparing(ports.compared, pathOf(first.file), first, waitingFor(response, receiver));
    await sendBytes(response, first.length, () => readSmall(ports.files, pathOf(first.file), first), memory);
  } catch (error) {
    if (error instanceof ReceiverGone) return;
    if (response.headersSent) response.destroy();
    throw error;
  }
}

/**
 * Sends bytes as the body of an answer whose head is set, and ends it. `read` holds `size` bytes in memory; it is called
 * once there is room for them. Rejects with what it throws.
 */
export async function sendBytes(response: ServerResponse, size: number, read: () => Buffer, memory: MemoryReservation): Promise<void> {
  try {
    if (!memory.take(size)) await room(memory, size, response);
  } catch (error) {
    if (error instanceof ReceiverGone) return;
    throw error;
  }
  response.end(read());
}

/**
 * Sends buffers in order as the body of an answer whose head is set, and ends it. Returns true when no buffer is in use
 * any more; otherwise the receiver is gone, and some buffers may still be in use.
 */
export async function sendBuffers(response: ServerResponse, buffers: readonly Buffer[], memory: MemoryReservation): Promise<boolean> {
  try {
    for (const buffer of buffers) await write(response, buffer, (bytes) => memory.moved(bytes));
    response.end();
    return true;
  } catch (error) {
    if (error instanceof ReceiverGone) return false;
    throw error;
  }
}

const waitingFor = (response: ServerResponse, { address }: Receiver) => ({ address, isGone: () => response.destroyed });

/** A range of a part that is whole, or none of it. */
function readPart(files: FileSystem, path: string, { file, offset, length }: Stretch, part: PartFile): Buffer {
  const bytes = readSmall(files, path, { file, offset: 0, length: part.size });
  return compare(bytes, part).subarray(offset, offset + length);
}

function readSmall(files: FileSystem, path: string, stretch: Stretch): Buffer {
  const buffer = Buffer.allocUnsafe(stretch.length);
  readInto(files, buffer, path, stretch);
  return buffer;
}

/** Reads a range of a file to the beginning of a buffer, synchronously. */
export function readInto(files: FileSystem, buffer: Buffer, path: string, { offset, length }: Stretch): void {
  const file = files.openNow(path, openFlags.read);
  try {
    for (let done = 0; done < length; ) done += some(file.readNow(buffer, done, length - done, offset + done));
  } finally {
    file.closeNow();
  }
}

function some(bytesRead: number): number {
  if (bytesRead === 0) throw objectDamaged('A stored file is shorter than it was when it was received.');
  return bytesRead;
}

async function sendLarge(
  response: ServerResponse,
  stretches: readonly Stretch[],
  pathOf: (file: string) => string,
  { files, pool, firstPool, syncWhenFast, compared: parts }: SendingPorts,
  receiver: Receiver,
): Promise<void> {
  const { memory, connection, trusts, address } = receiver;
  if (!memory.take(2 * firstReadSize)) await room(memory, 2 * firstReadSize, response);
  let from = firstPool;
  let buffers = [from.take(), from.take()];
  const sent: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
  let turn = 0;
  let hasSent = false;
  const taken = (bytes: number): void => {
    memory.moved(bytes);
    connection.sent += bytes;
    parts.took(address, bytes);
  };
  try {
    for (const stretch of stretches) {
      const { file, offset, length } = stretch;
      const path = pathOf(file);
      const opened = syncWhenFast(() => files.openNow(path, openFlags.read)) ?? (await files.open(path, openFlags.read));
      try {
        const compared = trusts ? await comparing(parts, path, stretch, waitingFor(response, receiver)) : uncompared;
        for (let done = 0; done < length; turn ^= 1) {
          await sent[turn];
          // Neither a synchronous read nor a write that the socket takes as a whole lets the event loop run.
          if (turn === 0) await nextTurn();
          // An answer that is still behind another one of its connection has sent nothing yet.
          const isMoving = turn === 0 && hasSent && connection.sent >= firstBytes;
          if (from === firstPool && isMoving && memory.take(2 * (pool.size - firstReadSize))) {
            await sent[1];
            for (const buffer of buffers) from.give(buffer);
            from = pool;
            buffers = [from.take(), from.take()];
          }
          const buffer = buffers[turn]!;
          const most = Math.min(buffer.length, length - done);
          const at = offset + done;
          const bytesRead = syncWhenFast(() => opened.readNow(buffer, 0, most, at)) ?? (await opened.read(buffer, 0, most, at));
          done += some(bytesRead);
          await compared.add(buffer.subarray(0, bytesRead));
          hasSent = true;
          sent[turn] = write(response, buffer.subarray(0, bytesRead), taken);
        }
      } finally {
        opened.closeNow();
      }
    }
    await Promise.all(sent);
    response.end();
  } finally {
    // A buffer that is still being sent must not be reused.
    for (const [index, buffer] of buffers.entries()) {
      sent[index]!.then(
        () => from.give(buffer),
        () => {},
      );
    }
  }
}

/** Resolves when the socket has taken the bytes, after `taken`; rejects when the receiver is gone. */
function write(response: ServerResponse, bytes: Buffer, taken: (bytes: number) => void): Promise<void> {
  const written = new Promise<void>((resolve, reject) => {
    const gone = (): void => reject(new ReceiverGone('The connection was closed.'));
    if (response.destroyed) return gone();
    response.once('close', gone);
    response.write(bytes, (error) => {
      response.off('close', gone);
      if (error) return gone();
      taken(bytes.length);
      resolve();
    });
  });
  written.catch(() => {});
  return written;
}

/** Resolves when the memory is reserved; rejects when the receiver is gone. */
function room(memory: MemoryReservation, bytes: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new ReceiverGone('The connection was closed.'));
    if (response.destroyed) return gone();
    response.once('close', gone);
    memory.wait(bytes, () => {
      response.off('close', gone);
      resolve();
    });
  });
}

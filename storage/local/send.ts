import * as fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { AtOnce } from '#disk/at-once.ts';
import { StorageError } from '../errors.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { Stretch } from './ranges.ts';

const open = promisify(fs.open);
const read = promisify(fs.read);
const close = promisify(fs.close);

/** Up to here a synchronous read costs less than three promises. */
const smallSize = 256 * 1024;

/** What all answers share. */
export interface SendingPorts {
  readonly pool: BufferPool;
  readonly atOnce: AtOnce;
}

/** The receiver went away. There is nobody left to answer. */
class ReceiverGone extends Error {
  override readonly name = 'ReceiverGone';
}

/**
 * Streams stretches of files into an answer whose head is set, and ends it. Two buffers take turns: one is
 * filled while the other goes out. Rejects with what the file system said; where bytes have already gone
 * out, the connection is cut, so that nobody takes a part for the whole.
 */
export async function sendStretches(
  response: ServerResponse,
  stretches: readonly Stretch[],
  pathOf: (file: string) => string,
  { pool, atOnce }: SendingPorts,
): Promise<void> {
  const [first] = stretches;
  if (!first) return void response.end();
  if (stretches.length === 1 && first.length <= smallSize) return void response.end(readSmall(pathOf(first.file), first));
  try {
    await sendLarge(response, stretches, pathOf, { pool, atOnce });
  } catch (error) {
    if (error instanceof ReceiverGone) return;
    if (response.headersSent) response.destroy();
    throw error;
  }
}

/**
 * Sends bytes that are at hand, one buffer after the other, as an answer whose head is set, and ends it. True: none of
 * the buffers is used any more; otherwise the receiver is gone, and some may be.
 */
export async function sendBuffers(response: ServerResponse, buffers: readonly Buffer[]): Promise<boolean> {
  try {
    for (const buffer of buffers) await write(response, buffer);
    response.end();
    return true;
  } catch (error) {
    if (error instanceof ReceiverGone) return false;
    throw error;
  }
}

function readSmall(path: string, stretch: Stretch): Buffer {
  const buffer = Buffer.allocUnsafe(stretch.length);
  readInto(buffer, path, stretch);
  return buffer;
}

/** Reads a stretch of a file to the beginning of a buffer, synchronously. */
export function readInto(buffer: Buffer, path: string, { offset, length }: Stretch): void {
  const file = fs.openSync(path, 'r');
  try {
    for (let done = 0; done < length; ) done += some(fs.readSync(file, buffer, done, length - done, offset + done));
  } finally {
    fs.closeSync(file);
  }
}

function some(bytesRead: number): number {
  if (bytesRead === 0) throw new StorageError('storage_unavailable', 'A stored file is shorter than it was when it was received.');
  return bytesRead;
}

async function sendLarge(
  response: ServerResponse,
  stretches: readonly Stretch[],
  pathOf: (file: string) => string,
  { pool, atOnce }: SendingPorts,
): Promise<void> {
  const buffers = [pool.take(), pool.take()];
  const sent: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
  let turn = 0;
  try {
    for (const { file, offset, length } of stretches) {
      const opened = await open(pathOf(file), 'r');
      try {
        for (let done = 0; done < length; turn ^= 1) {
          await sent[turn];
          // Neither a read at once nor a write that the socket takes whole lets anybody else on.
          if (turn === 0) await nextTurn();
          const buffer = buffers[turn]!;
          const most = Math.min(buffer.length, length - done);
          const at = offset + done;
          const bytesRead = atOnce(() => fs.readSync(opened, buffer, 0, most, at)) ?? (await read(opened, buffer, 0, most, at)).bytesRead;
          done += some(bytesRead);
          sent[turn] = write(response, buffer.subarray(0, bytesRead));
        }
      } finally {
        await close(opened);
      }
    }
    await Promise.all(sent);
    response.end();
  } finally {
    // A buffer whose bytes are still going out must not be filled for somebody else.
    for (const [index, buffer] of buffers.entries()) {
      sent[index]!.then(
        () => pool.give(buffer),
        () => {},
      );
    }
  }
}

/** Resolves when the bytes have left for the socket, rejects when the receiver is gone. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  const written = new Promise<void>((resolve, reject) => {
    const gone = (): void => reject(new ReceiverGone('The connection was closed.'));
    if (response.destroyed) return gone();
    response.once('close', gone);
    response.write(bytes, (error) => {
      response.off('close', gone);
      if (error) gone();
      else resolve();
    });
  });
  written.catch(() => {});
  return written;
}

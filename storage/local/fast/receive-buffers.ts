import type { MemoryReservation } from '#net/memory-budget.ts';
import type { BufferPool } from '../buffer-pool.ts';
import type { PartWriter } from '../part-writer.ts';
import type { RawSender } from './raw-http.ts';

/** Large enough for the bytes that are read with a head. */
export const smallBufferSize = 64 * 1024;

/** A connection gets large buffers after this many bytes, so that nobody occupies more memory than it has sent bytes. */
const earned = 1024 * 1024;

interface ReceiveBuffersPorts {
  readonly writer: Pick<PartWriter, 'add'>;
  readonly memory: MemoryReservation;
  readonly from: RawSender;
  /** Buffers of `smallBufferSize`, and large ones. */
  readonly firstPool: BufferPool;
  readonly pool: BufferPool;
  /** Called after `add` returned `false`: more bytes may be added. */
  readonly onRoom: () => void;
}

/**
 * The buffers of a part that is read directly from a socket. They also decide whether to continue reading: not while
 * the disk is busy, and not while memory is short. While it waits, it has only one small buffer, so it never waits for
 * itself.
 */
export class ReceiveBuffers {
  readonly #ports: ReceiveBuffersPorts;
  #diskIsFull = false;
  /** The next buffer has no reserved memory. It may be filled; then it waits for memory. */
  #memoryIsShort = false;
  #waitsForMemory = false;
  /** Small buffers without reserved memory: one for each connection that waits. */
  readonly #unbooked = new Set<Buffer>();
  #last: Buffer | null = null;

  constructor(ports: ReceiveBuffersPorts) {
    this.#ports = ports;
  }

  take(): Buffer {
    const { memory, from, firstPool, pool } = this.#ports;
    if (!this.#memoryIsShort && from.brought >= earned && memory.take(pool.size)) return pool.take();
    const buffer = firstPool.take();
    this.#last = buffer;
    if (!this.#memoryIsShort && memory.take(buffer.length)) return buffer;
    this.#memoryIsShort = true;
    this.#unbooked.add(buffer);
    return buffer;
  }

  give(buffer: Buffer): void {
    const { memory, firstPool, pool } = this.#ports;
    if (!this.#unbooked.delete(buffer)) memory.give(buffer.length);
    (buffer.length === pool.size ? pool : firstPool).give(buffer);
  }

  /** Keeps the bytes until `done`. Returns `false` to stop the source until `onRoom`. */
  add(bytes: Buffer, done: () => void): boolean {
    const { writer, memory, firstPool } = this.#ports;
    this.#diskIsFull = !writer.add(bytes, done);
    if (this.#memoryIsShort && !this.#waitsForMemory) {
      this.#waitsForMemory = true;
      memory.wait(firstPool.size, () => {
        this.#waitsForMemory = false;
        this.#memoryIsShort = false;
        if (this.#last) this.#unbooked.delete(this.#last);
        this.#goOn();
      });
    }
    return this.#mayCome();
  }

  /** The writer can accept bytes again. */
  roomOnDisk(): void {
    this.#diskIsFull = false;
    this.#goOn();
  }

  #mayCome(): boolean {
    return !this.#diskIsFull && !this.#waitsForMemory;
  }

  #goOn(): void {
    if (this.#mayCome()) this.#ports.onRoom();
  }
}

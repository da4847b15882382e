import { sep } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully, writeFullyNow } from '#filesystem/fully.ts';
import type { OpenFile } from '#filesystem/port.ts';
import { writesInFlight } from './block-writer.ts';
import { randomName } from './disk.ts';
import type { PartFile } from './layout.ts';
import { type PartToReceive, putInPlace } from './receive.ts';

interface PartWriterPorts {
  /** Called after `add` returned `false`: more bytes may be added. */
  readonly onRoom: () => void;
  /** Called once; no more bytes may be added. */
  readonly onFailure: (error: Error) => void;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/** A longer write has waited for the disk, not for memory. */
const slowMilliseconds = 20;

/**
 * Writes a part in large blocks: hashes each and writes it under a temporary name. Writes are synchronous while they
 * are only a copy in memory, which costs half as much as a write by another thread. From the first write that waited
 * for the disk, other threads write, at most two blocks at a time.
 */
export class PartWriter {
  readonly #part: PartToReceive;
  readonly #ports: PartWriterPorts;
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #hasher = new Blake3Hasher();
  #position = 0;
  #inFlight = 0;
  #slow = false;
  #finishing = false;
  #failure: Error | null = null;
  #whenIdle: (() => void)[] = [];

  /** Throws the file system's error; `ENOENT` means that the upload no longer exists. */
  constructor(part: PartToReceive, ports: PartWriterPorts) {
    this.#part = part;
    this.#ports = ports;
    this.#path = `${part.folder}${sep}.${randomName()}`;
    this.#file = part.files.openNow(this.#path, openFlags.create, 0o600);
  }

  /** Keeps the bytes until `done`. Returns `false` to stop the source until `onRoom`. */
  add(bytes: Buffer, done: () => void): boolean {
    this.#hasher.update(bytes);
    const position = this.#position;
    this.#position += bytes.length;
    if (this.#slow) {
      this.#inFlight += 1;
      this.#write(bytes, position, done);
      return this.#inFlight < writesInFlight;
    }
    const started = this.#ports.clock();
    try {
      writeFullyNow(this.#file, [bytes], position);
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
    this.#slow = this.#ports.clock() - started > slowMilliseconds;
    done();
    return true;
  }

  /** Call it after the last byte. Rejects with the file system's error; the temporary file is deleted then. */
  async finish(): Promise<PartFile> {
    this.#finishing = true;
    await this.#idle();
    try {
      await this.#file.close();
      if (this.#failure) throw this.#failure;
      return putInPlace(this.#path, this.#part, this.#hasher.digest('hex'));
    } catch (error) {
      this.#part.files.removeNow(this.#path);
      throw error;
    }
  }

  /** Instead of `finish`: deletes what was written. */
  async discard(): Promise<void> {
    this.#finishing = true;
    await this.#idle();
    await this.#file.close().catch(() => {});
    this.#part.files.removeNow(this.#path);
  }

  #write(bytes: Buffer, position: number, done: () => void): void {
    const ended = (error: Error | null): void => {
      const full = this.#inFlight === writesInFlight;
      this.#inFlight -= 1;
      done();
      if (error) this.#fail(error);
      if (this.#inFlight === 0) for (const wake of this.#whenIdle.splice(0)) wake();
      if (full && !this.#failure) this.#ports.onRoom();
    };
    writeFully(this.#file, [bytes], position).then(() => ended(null), ended);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    if (this.#finishing) return;
    this.#finishing = true;
    this.#ports.onFailure(error);
  }

  async #idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }
}

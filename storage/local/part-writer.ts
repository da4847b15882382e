import * as fs from 'node:fs';
import { sep } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
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
  readonly #file: number;
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
    this.#file = fs.openSync(this.#path, 'wx', 0o600);
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
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#file, bytes, at, bytes.length - at, position + at);
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
      if (this.#failure) throw this.#failure;
      await this.#close();
      return putInPlace(this.#path, this.#part, this.#hasher.digest('hex'));
    } catch (error) {
      fs.rmSync(this.#path, { force: true });
      throw error;
    }
  }

  /** Instead of `finish`: deletes what was written. */
  async discard(): Promise<void> {
    this.#finishing = true;
    await this.#idle();
    await this.#close().catch(() => {});
    fs.rmSync(this.#path, { force: true });
  }

  #write(bytes: Buffer, position: number, done: () => void): void {
    fs.write(this.#file, bytes, 0, bytes.length, position, (error, written) => {
      if (!error && written < bytes.length) return this.#write(bytes.subarray(written), position + written, done);
      const full = this.#inFlight === writesInFlight;
      this.#inFlight -= 1;
      done();
      if (error) this.#fail(error);
      if (this.#inFlight === 0) for (const wake of this.#whenIdle.splice(0)) wake();
      if (full && !this.#failure) this.#ports.onRoom();
    });
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

  #close(): Promise<void> {
    return new Promise((resolve, reject) => fs.close(this.#file, (error) => (error ? reject(error) : resolve())));
  }
}

import type { DirectoryEntry, FileStats, OpenDirectory, OpenFile } from '../port.ts';
import { systemError } from '../system-error.ts';
import type { Call } from './fault-plan.ts';
import { type LimitedSpace, sizeOf } from './limited-space.ts';

/** What an open file or directory asks before each call; throws or rejects with what is planned. */
export interface FileFaults {
  readonly path: string;
  meetNow(call: Call): void;
  meet(call: Call): Promise<void>;
  closed(): void;
}

/** A file whose calls meet the plan. Closing always closes: a planned fault is thrown afterwards. */
export class BreakingFile implements OpenFile {
  readonly #file: OpenFile;
  readonly #faults: FileFaults;
  readonly #space: LimitedSpace;

  constructor(file: OpenFile, faults: FileFaults, space: LimitedSpace) {
    this.#file = file;
    this.#faults = faults;
    this.#space = space;
  }

  get descriptor(): number {
    return this.#file.descriptor;
  }

  async stat(): Promise<FileStats> {
    await this.#faults.meet('stat');
    return await this.#file.stat();
  }

  statNow(): FileStats {
    this.#faults.meetNow('stat');
    return this.#file.statNow();
  }

  async read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    await this.#faults.meet('read');
    return await this.#file.read(buffer, offset, length, position);
  }

  readNow(buffer: Uint8Array, offset: number, length: number, position: number): number {
    this.#faults.meetNow('read');
    return this.#file.readNow(buffer, offset, length, position);
  }

  async write(buffers: readonly Uint8Array[], position: number): Promise<number> {
    await this.#faults.meet('write');
    const fitting = this.#fitting(buffers);
    try {
      return this.#taken(fitting, await this.#file.write(fitting, position));
    } catch (error) {
      this.#space.giveBack(sizeOf(fitting));
      throw error;
    }
  }

  writeNow(buffers: readonly Uint8Array[], position: number): number {
    this.#faults.meetNow('write');
    const fitting = this.#fitting(buffers);
    try {
      return this.#taken(fitting, this.#file.writeNow(fitting, position));
    } catch (error) {
      this.#space.giveBack(sizeOf(fitting));
      throw error;
    }
  }

  #fitting(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
    const fitting = this.#space.take(buffers);
    if (!fitting) throw systemError('ENOSPC', 'write', this.#faults.path);
    return fitting;
  }

  #taken(buffers: readonly Uint8Array[], written: number): number {
    this.#space.giveBack(sizeOf(buffers) - written);
    return written;
  }

  async truncate(size: number): Promise<void> {
    await this.#faults.meet('truncate');
    await this.#file.truncate(size);
  }

  truncateNow(size: number): void {
    this.#faults.meetNow('truncate');
    this.#file.truncateNow(size);
  }

  async setTimes(seconds: string): Promise<void> {
    await this.#faults.meet('setTimes');
    await this.#file.setTimes(seconds);
  }

  setTimesNow(seconds: string): void {
    this.#faults.meetNow('setTimes');
    this.#file.setTimesNow(seconds);
  }

  async flush(): Promise<void> {
    await this.#faults.meet('flush');
    await this.#file.flush();
  }

  flushNow(): void {
    this.#faults.meetNow('flush');
    this.#file.flushNow();
  }

  async close(): Promise<void> {
    await this.#file.close();
    this.#faults.closed();
    await this.#faults.meet('close');
  }

  closeNow(): void {
    this.#file.closeNow();
    this.#faults.closed();
    this.#faults.meetNow('close');
  }
}

/** A directory whose calls meet the plan. */
export class BreakingDirectory implements OpenDirectory {
  readonly #directory: OpenDirectory;
  readonly #faults: FileFaults;

  constructor(directory: OpenDirectory, faults: FileFaults) {
    this.#directory = directory;
    this.#faults = faults;
  }

  async read(): Promise<DirectoryEntry | null> {
    await this.#faults.meet('readDirectory');
    return await this.#directory.read();
  }

  async close(): Promise<void> {
    await this.#directory.close();
    await this.#faults.meet('close');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DirectoryEntry> {
    try {
      for (let entry = await this.read(); entry; entry = await this.read()) yield entry;
    } finally {
      await this.close();
    }
  }
}

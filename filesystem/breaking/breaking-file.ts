import type { DirectoryEntry, FileStats, OpenDirectory, OpenFile } from '../port.ts';
import { systemError } from '../system-error.ts';
import type { Call } from './fault-plan.ts';
import { type LimitedSpace, sizeOf } from './limited-space.ts';

/** What an open file or directory asks before each call; throws or rejects with what is planned. */
export interface Meeting {
  readonly path: string;
  now(call: Call): void;
  later(call: Call): Promise<void>;
  closed(): void;
}

/** A file whose calls meet the plan. Closing always closes: a planned fault is thrown afterwards. */
export class BreakingFile implements OpenFile {
  readonly #file: OpenFile;
  readonly #meet: Meeting;
  readonly #space: LimitedSpace;

  constructor(file: OpenFile, meet: Meeting, space: LimitedSpace) {
    this.#file = file;
    this.#meet = meet;
    this.#space = space;
  }

  get descriptor(): number {
    return this.#file.descriptor;
  }

  async stat(): Promise<FileStats> {
    await this.#meet.later('stat');
    return await this.#file.stat();
  }

  statNow(): FileStats {
    this.#meet.now('stat');
    return this.#file.statNow();
  }

  async read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    await this.#meet.later('read');
    return await this.#file.read(buffer, offset, length, position);
  }

  readNow(buffer: Uint8Array, offset: number, length: number, position: number): number {
    this.#meet.now('read');
    return this.#file.readNow(buffer, offset, length, position);
  }

  async write(buffers: readonly Uint8Array[], position: number): Promise<number> {
    await this.#meet.later('write');
    const fitting = this.#fitting(buffers);
    try {
      return this.#taken(fitting, await this.#file.write(fitting, position));
    } catch (error) {
      this.#space.giveBack(sizeOf(fitting));
      throw error;
    }
  }

  writeNow(buffers: readonly Uint8Array[], position: number): number {
    this.#meet.now('write');
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
    if (!fitting) throw systemError('ENOSPC', 'write', this.#meet.path);
    return fitting;
  }

  #taken(buffers: readonly Uint8Array[], written: number): number {
    this.#space.giveBack(sizeOf(buffers) - written);
    return written;
  }

  async truncate(size: number): Promise<void> {
    await this.#meet.later('truncate');
    await this.#file.truncate(size);
  }

  truncateNow(size: number): void {
    this.#meet.now('truncate');
    this.#file.truncateNow(size);
  }

  async setTimes(seconds: string): Promise<void> {
    await this.#meet.later('setTimes');
    await this.#file.setTimes(seconds);
  }

  setTimesNow(seconds: string): void {
    this.#meet.now('setTimes');
    this.#file.setTimesNow(seconds);
  }

  async flush(): Promise<void> {
    await this.#meet.later('flush');
    await this.#file.flush();
  }

  flushNow(): void {
    this.#meet.now('flush');
    this.#file.flushNow();
  }

  async close(): Promise<void> {
    await this.#file.close();
    this.#meet.closed();
    await this.#meet.later('close');
  }

  closeNow(): void {
    this.#file.closeNow();
    this.#meet.closed();
    this.#meet.now('close');
  }
}

/** A directory whose calls meet the plan. */
export class BreakingDirectory implements OpenDirectory {
  readonly #directory: OpenDirectory;
  readonly #meet: Meeting;

  constructor(directory: OpenDirectory, meet: Meeting) {
    this.#directory = directory;
    this.#meet = meet;
  }

  async read(): Promise<DirectoryEntry | null> {
    await this.#meet.later('readDirectory');
    return await this.#directory.read();
  }

  async close(): Promise<void> {
    await this.#directory.close();
    await this.#meet.later('close');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DirectoryEntry> {
    try {
      for (let entry = await this.read(); entry; entry = await this.read()) yield entry;
    } finally {
      await this.close();
    }
  }
}

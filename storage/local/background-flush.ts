import type { Disk } from './disk.ts';
import { isAbsent } from './disk-errors.ts';

/** Queue limit: further parts are flushed when their upload completes. */
const greatestQueue = 10_000;

/**
 * Flushes received parts to disk while other parts are still being received, so that completing an upload of many parts
 * has little left to flush. One flush at a time, since each occupies a thread that reads and writes need. A part whose
 * flush failed is deleted, since the operating system reports the failure only once; the sender must then send it
 * again.
 */
export class BackgroundFlush {
  readonly #disk: Pick<Disk, 'syncFile' | 'remove'>;
  readonly #onTrouble: (error: Error) => void;
  readonly #waiting: string[] = [];
  #running = false;

  constructor(disk: Pick<Disk, 'syncFile' | 'remove'>, onTrouble: (error: Error) => void) {
    this.#disk = disk;
    this.#onTrouble = onTrouble;
  }

  add(path: string): void {
    if (this.#waiting.length >= greatestQueue) return;
    this.#waiting.push(path);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let path = this.#waiting.shift(); path !== undefined; path = this.#waiting.shift()) await this.#flush(path);
    this.#running = false;
  }

  async #flush(path: string): Promise<void> {
    try {
      await this.#disk.syncFile(path);
    } catch (error) {
      // The upload was completed or aborted, or the part replaced.
      if (isAbsent(error)) return;
      this.#onTrouble(error as Error);
      try {
        this.#disk.remove(path);
      } catch (failure) {
        this.#onTrouble(failure as Error);
      }
    }
  }
}

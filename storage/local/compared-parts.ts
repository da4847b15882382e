import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { objectDamaged } from '../errors.ts';
import { comparison } from './compare.ts';
import { ComparisonBudgets } from './comparison-budgets.ts';
import { type Comparison, ComparisonQueue, type ComparisonReceiver } from './comparison-queue.ts';
import { damagedMark, type PartFile } from './layout.ts';
import { ReceiverGone } from './receiver-gone.ts';

/** For this long bytes that were right are taken for right: nearly all of them still come from the memory that was compared. */
const freshMilliseconds = 10 * 60_000;
const mostRemembered = 10_000;
/** Parts read for this at once: senders and receivers have the disk as well. Usual ones do not wait behind larger ones. */
const places = { usual: 2, large: 1, ofOne: 1 };
const largeSize = 128 * 1024 * 1024;
const pieceSize = 1024 * 1024;

/** Which parts were compared with the digest in their names lately, by the paths of their files. A path has the same bytes for ever. */
export class ComparedParts {
  readonly #files: FileSystem;
  readonly #fresh = new LRUCache<string, true>({ max: mostRemembered, ttl: freshMilliseconds });
  readonly #running = new Map<string, Comparison>();
  readonly #budgets: ComparisonBudgets;
  readonly #queue: ComparisonQueue;
  readonly #largeQueue: ComparisonQueue;

  constructor(files: FileSystem, budgets = new ComparisonBudgets()) {
    this.#files = files;
    this.#budgets = budgets;
    this.#queue = new ComparisonQueue({ places: places.usual, placesOfOne: places.ofOne, budgets });
    this.#largeQueue = new ComparisonQueue({ places: places.large, placesOfOne: places.ofOne, budgets });
  }

  isFresh(path: string): boolean {
    return this.#fresh.has(path);
  }

  /** All bytes of it were read, and right. */
  remember(path: string): void {
    this.#fresh.set(path, true);
  }

  /** Bytes that an address took of what it asked for: as many may be read for it. */
  took(address: string, bytes: number): void {
    this.#budgets.took(address, bytes);
  }

  /**
   * Reads all of the part, unless that was done lately. Rejects with `object_damaged`, and has the object refused from then on; with
   * `ReceiverGone` once none of those who wait for it is there any more, so that nobody can ask for the reading of more than there are
   * connections.
   */
  async ensure(path: string, part: PartFile, receiver: ComparisonReceiver): Promise<void> {
    if (this.isFresh(path)) return;
    const running = this.#running.get(path);
    if (running) {
      running.join(receiver);
      try {
        return await running.over;
      } catch (error) {
        // It was given up for the others just before.
        if (error instanceof ReceiverGone && !receiver.isGone()) return await this.ensure(path, part, receiver);
        throw error;
      }
    }
    const queue = part.size > largeSize ? this.#largeQueue : this.#queue;
    const comparison = queue.add(receiver, (read) => this.#compare(path, part, read));
    const over = comparison.over.finally(() => this.#running.delete(path));
    this.#running.set(path, { ...comparison, over });
    await over;
  }

  async #compare(path: string, part: PartFile, read: (bytes: number) => void): Promise<void> {
    if (!(await this.#isWhole(path, part, read)) && (await this.withhold(path, part))) throw objectDamaged();
    this.remember(path);
  }

  /**
   * Has the object of a damaged part refused from now on, as a check does (service/integrity/): a browser that goes on with a
   * download that was cut would get the rest. Not where the file, read once more, is whole: the byte was changed in memory.
   *
   * @returns whether it is damaged
   */
  async withhold(path: string, part: PartFile): Promise<boolean> {
    if (await this.#isWhole(path, part)) return false;
    const mark = await this.#files.open(join(dirname(path), damagedMark), openFlags.writeOwnOrCreate, 0o600);
    try {
      await mark.write([Buffer.from('Found damaged while it was sent.\n')], 0);
      await mark.flush();
    } finally {
      await mark.close();
    }
    return true;
  }

  /** `read` is told of each piece, and throws once nobody waits for it. */
  async #isWhole(path: string, part: PartFile, read: (bytes: number) => void = () => undefined): Promise<boolean> {
    read(0);
    const digest = comparison(part);
    const opened = await this.#files.open(path, openFlags.read);
    try {
      const buffer = Buffer.allocUnsafeSlow(Math.min(pieceSize, part.size));
      for (let done = 0; done < part.size; ) {
        const bytesRead = await opened.read(buffer, 0, Math.min(buffer.length, part.size - done), done);
        if (bytesRead === 0) return false;
        read(bytesRead);
        digest.add(buffer.subarray(0, bytesRead));
        done += bytesRead;
      }
    } finally {
      await opened.close();
    }
    try {
      digest.end();
      return true;
    } catch {
      return false;
    }
  }
}

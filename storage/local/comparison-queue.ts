import type { ComparisonBudgets } from './comparison-budgets.ts';
import { ReceiverGone } from './receiver-gone.ts';

/** Who waits for a part to be compared. */
export interface ComparisonReceiver {
  /** Whose budget it is read from; empty where it is unknown, and nothing is limited by it. */
  readonly address: string;
  readonly isGone: () => boolean;
}

/** Reads a part. `read` is told of each piece; it throws `ReceiverGone` once nobody waits any more. */
type Comparing = (read: (bytes: number) => void) => Promise<void>;

export interface Comparison {
  readonly over: Promise<void>;
  /** One more who waits for it. */
  readonly join: (receiver: ComparisonReceiver) => void;
}

interface Waiting extends Comparison {
  /** Those that have gone are removed now and then. */
  readonly receivers: Set<ComparisonReceiver>;
  readonly start: (address: string) => Promise<void>;
  readonly giveUp: () => void;
}

interface QueueOptions {
  /** Comparisons at once. */
  readonly places: number;
  /** Those at once for one address. */
  readonly placesOfOne: number;
  readonly budgets: ComparisonBudgets;
}

/** Interval at which those are looked for whose budget has room again, in milliseconds. */
const lookMilliseconds = 1_000;

const gone = () => new ReceiverGone('The connection was closed.');

const allGone = (receivers: Iterable<ComparisonReceiver>): boolean => {
  for (const { isGone } of receivers) if (!isGone()) return false;
  return true;
};

/**
 * Comparisons wait for their places by address: next is the address for which the least was read lately, so that however many parts
 * one asks for, others wait for one of them at most. An address whose budget is spent waits for it (docs/decisions/0116).
 */
export class ComparisonQueue {
  readonly #options: QueueOptions;
  /** What each address waits for, the oldest first. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** Comparisons under way, by the address that they are done for. */
  readonly #running = new Map<string, number>();
  #free: number;
  #looking: NodeJS.Timeout | null = null;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#free = options.places;
  }

  /** Its `over` rejects with what `comparing` throws, and with `ReceiverGone` where all have gone before its place was free. */
  add(first: ComparisonReceiver, comparing: Comparing): Comparison {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const receivers = new Set([first]);
    let isWaiting = true;
    const waiting: Waiting = {
      over: promise,
      receivers,
      join: (receiver) => {
        receivers.add(receiver);
        if (!isWaiting) return;
        this.#line(receiver.address).add(waiting);
        this.#serve();
      },
      start: async (address) => {
        isWaiting = false;
        const read = (bytes: number): void => {
          if (allGone(receivers)) throw gone();
          this.#options.budgets.read(address, bytes);
        };
        await comparing(read).then(resolve, reject);
      },
      giveUp: () => {
        isWaiting = false;
        reject(gone());
      },
    };
    this.#line(first.address).add(waiting);
    this.#serve();
    return waiting;
  }

  #line(address: string): Set<Waiting> {
    const line = this.#waiting.get(address) ?? new Set();
    this.#waiting.set(address, line);
    return line;
  }

  #serve(): void {
    while (this.#free > 0) {
      const address = this.#nextAddress();
      if (address === null) break;
      const [oldest] = this.#waiting.get(address)!;
      void this.#start(oldest!, address);
    }
    if (this.#waiting.size > 0) {
      this.#looking ??= setInterval(() => this.#look(), lookMilliseconds).unref();
    } else if (this.#looking) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
  }

  /** Those that have gone are forgotten, and those whose budgets have room again are served. */
  #look(): void {
    for (const [address, line] of this.#waiting) for (const waiting of line) this.#isWanted(waiting, address);
    this.#serve();
  }

  /** The one for which the least was read lately, of those that may have a place; of several the one that waits longest. */
  #nextAddress(): string | null {
    const { budgets } = this.#options;
    let next: { readonly address: string; readonly spent: number } | null = null;
    for (const [address, line] of this.#waiting) {
      for (const waiting of line) if (this.#isWanted(waiting, address)) break;
      if (line.size === 0 || !this.#mayStart(address)) continue;
      const spent = budgets.spent(address);
      if (!next || spent < next.spent) next = { address, spent };
    }
    return next?.address ?? null;
  }

  /** An address that is unknown is many people's. */
  #mayStart(address: string): boolean {
    const { budgets, placesOfOne } = this.#options;
    return address === '' || ((this.#running.get(address) ?? 0) < placesOfOne && !budgets.isSpent(address));
  }

  /** Whether somebody of this address waits for it still. If not it leaves the address's line. */
  #isWanted(waiting: Waiting, address: string): boolean {
    const { receivers } = waiting;
    let isWanted = false;
    for (const receiver of receivers) {
      if (receiver.isGone()) receivers.delete(receiver);
      else if (receiver.address === address) isWanted = true;
    }
    if (isWanted) return true;
    this.#leave(waiting, address);
    if (receivers.size === 0) waiting.giveUp();
    return false;
  }

  #leave(waiting: Waiting, address: string): void {
    const line = this.#waiting.get(address);
    if (line?.delete(waiting) && line.size === 0) this.#waiting.delete(address);
  }

  async #start(waiting: Waiting, address: string): Promise<void> {
    for (const receiver of waiting.receivers) this.#leave(waiting, receiver.address);
    this.#free -= 1;
    this.#running.set(address, (this.#running.get(address) ?? 0) + 1);
    await waiting.start(address);
    this.#free += 1;
    const left = this.#running.get(address)! - 1;
    if (left > 0) this.#running.set(address, left);
    else this.#running.delete(address);
    this.#serve();
  }
}

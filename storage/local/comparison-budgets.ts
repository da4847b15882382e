import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';

interface BudgetOptions {
  /** Bytes that may be read for an address beyond those that it has taken. */
  readonly most: number;
  /** Bytes a second that it gets back, whatever it takes. */
  readonly perSecond: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** A piece of each of eighty usual parts at once, and then of one in two seconds (docs/decisions/0116). */
const usual: BudgetOptions = { most: 8 * 1024 ** 3, perSecond: 64 * 1024 ** 2, now: () => performance.now() };
const mostAddresses = 10_000;

/**
 * What is read of parts to compare them, by the address that it is read for. What an address takes of answers comes off, so that
 * whoever fetches what was read for them does not notice; whoever asks for a byte of each part pays for all of it.
 */
export class ComparisonBudgets {
  readonly #options: BudgetOptions;
  readonly #spent = new LRUCache<string, { readonly bytes: number; readonly at: number }>(maxEntries(mostAddresses));

  constructor(options: Partial<BudgetOptions> = {}) {
    this.#options = { ...usual, ...options };
  }

  /** Bytes that were read for this address and that it neither took nor got back. */
  spent(address: string): number {
    const known = this.#spent.get(address);
    if (!known) return 0;
    return Math.max(0, known.bytes - ((this.#options.now() - known.at) / 1000) * this.#options.perSecond);
  }

  isSpent(address: string): boolean {
    return this.spent(address) >= this.#options.most;
  }

  read(address: string, bytes: number): void {
    this.#spent.set(address, { bytes: this.spent(address) + bytes, at: this.#options.now() });
  }

  took(address: string, bytes: number): void {
    if (!this.#spent.has(address)) return;
    const left = this.spent(address) - bytes;
    if (left > 0) this.#spent.set(address, { bytes: left, at: this.#options.now() });
    else this.#spent.delete(address);
  }
}

import { Pace, slowPeer } from './pace.ts';

/** The owners of memory, each with a share. `null` or absent: unknown, so no share limits it. */
export interface Owners {
  readonly address?: string | null;
  readonly package?: string | null;
  readonly upload?: string | null;
}

export interface SharedMemoryOptions {
  /** Limit in bytes for all together. */
  readonly bytes: number;
  /** The largest share of one owner, 0 to 1. */
  readonly shares: Readonly<Required<Record<keyof Owners, number>>>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

export const defaultShares: SharedMemoryOptions['shares'] = { address: 1 / 2, package: 1 / 2, upload: 1 / 4 };

/** Bytes in use by all, or by one owner. */
interface Account {
  readonly limit: number;
  used: number;
  holds: number;
}

interface Waiter {
  readonly hold: MemoryHold;
  readonly bytes: number;
  readonly then: () => void;
}

const hasRoom = ({ used, limit }: Account, bytes: number): boolean => used + bytes <= limit;

/** Interval of the check for slow peers while somebody waits, in milliseconds. */
const lookMilliseconds = 1_000;

/**
 * Memory budget in bytes, shared by many peers. Each peer reserves memory when it needs it; no owner gets more than its
 * share. When memory is short, the slowest peers are cut first (pace.ts), so that fast peers do not have to wait for
 * them.
 */
export class SharedMemory {
  readonly #options: SharedMemoryOptions;
  readonly #all: Account;
  readonly #owners = new Map<string, Account>();
  readonly #holds = new Set<MemoryHold>();
  #waiting: Waiter[] = [];
  #looking: NodeJS.Timeout | null = null;
  #serving = false;
  /** Time of the last search for slow peers that freed too little. */
  #noHelpAt = Number.NEGATIVE_INFINITY;

  constructor(options: SharedMemoryOptions) {
    this.#options = options;
    this.#all = { limit: options.bytes, used: 0, holds: 0 };
  }

  /** Bytes reserved by all. */
  get used(): number {
    return this.#all.used;
  }

  /**
   * Registers a peer without reserved bytes. `cut` is called when the peer must be disconnected; its bytes are released
   * then.
   */
  hold(owners: Owners, cut: () => void): MemoryHold {
    const accounts = [this.#all];
    const names: string[] = [];
    for (const kind of ['address', 'package', 'upload'] as const) {
      const owner = owners[kind];
      if (owner === undefined || owner === null) continue;
      const name = `${kind} ${owner}`;
      let account = this.#owners.get(name);
      if (!account) {
        account = { limit: this.#options.bytes * this.#options.shares[kind], used: 0, holds: 0 };
        this.#owners.set(name, account);
      }
      account.holds += 1;
      accounts.push(account);
      names.push(name);
    }
    const hold: MemoryHold = new MemoryHold({
      accounts,
      now: this.#options.now,
      cut,
      makeRoom: (bytes) => this.#makeRoom(hold, bytes),
      wait: (bytes, then) => this.#wait({ hold, bytes, then }),
      freed: () => this.#serveSoon(),
      ended: () => {
        this.#holds.delete(hold);
        for (const name of names) {
          const account = this.#owners.get(name)!;
          account.holds -= 1;
          if (account.holds === 0) this.#owners.delete(name);
        }
        if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((waiter) => waiter.hold !== hold);
      },
    });
    this.#holds.add(hold);
    return hold;
  }

  /** Cuts slow peers until the bytes fit, or no peer is slow. */
  #makeRoom(hold: MemoryHold, bytes: number): void {
    const now = this.#options.now();
    if (now - this.#noHelpAt < lookMilliseconds) return;
    this.#cutFor(hold, bytes, this.#slowest(now));
    if (!hold.fits(bytes)) this.#noHelpAt = now;
  }

  /** The slow peers, slowest first. */
  #slowest(now: number): MemoryHold[] {
    const slow: { readonly hold: MemoryHold; readonly rate: number }[] = [];
    for (const hold of this.#holds) {
      const rate = hold.held > 0 ? hold.rate(now) : null;
      if (rate !== null && rate < slowPeer.bytesPerSecond) slow.push({ hold, rate });
    }
    return slow.sort((one, other) => one.rate - other.rate).map(({ hold }) => hold);
  }

  #cutFor(hold: MemoryHold, bytes: number, slowest: readonly MemoryHold[]): void {
    for (const account of hold.accounts) {
      for (const slow of slowest) {
        if (hasRoom(account, bytes)) break;
        if (slow !== hold && slow.accounts.includes(account)) slow.cutOff();
      }
    }
  }

  #wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#looking ??= setInterval(() => this.#look(), lookMilliseconds).unref();
    this.#serveSoon();
  }

  #look(): void {
    const slowest = this.#slowest(this.#options.now());
    if (slowest.length > 0) for (const { hold, bytes } of [...this.#waiting]) this.#cutFor(hold, bytes, slowest);
    this.#serve();
  }

  #serveSoon(): void {
    if (this.#serving || this.#waiting.length === 0) return;
    this.#serving = true;
    setImmediate(() => {
      this.#serving = false;
      this.#serve();
    });
  }

  /** In order of arrival. A peer that waits for its own owner's share does not block others. */
  #serve(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      if (waiter.hold.isEnded) continue;
      if (waiter.hold.fits(waiter.bytes)) {
        waiter.hold.served(waiter.bytes);
        waiter.then();
      } else this.#waiting.push(waiter);
    }
    if (this.#waiting.length > 0 || !this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}

interface HoldPorts {
  readonly accounts: readonly Account[];
  readonly now: () => number;
  readonly cut: () => void;
  readonly makeRoom: (bytes: number) => void;
  readonly wait: (bytes: number, then: () => void) => void;
  readonly freed: () => void;
  readonly ended: () => void;
}

/** The reservation of one peer. After `end` every call does nothing. */
export class MemoryHold {
  readonly accounts: readonly Account[];
  readonly #ports: HoldPorts;
  readonly #pace: Pace;
  #held = 0;
  #waits = false;
  #ended = false;

  constructor(ports: HoldPorts) {
    this.#ports = ports;
    this.accounts = ports.accounts;
    this.#pace = new Pace(ports.now());
  }

  get held(): number {
    return this.#held;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Whether this many more bytes fit within the limit for all, and within its owners' shares. */
  fits(bytes: number): boolean {
    return this.accounts.every((account) => hasRoom(account, bytes));
  }

  /** Reserves the bytes if they fit; cuts slow peers if necessary. */
  take(bytes: number): boolean {
    if (this.#ended) return false;
    if (!this.fits(bytes)) {
      this.#ports.makeRoom(bytes);
      if (!this.fits(bytes)) return false;
    }
    this.#book(bytes);
    return true;
  }

  /** Reserves bytes that are already in memory. `false`: over the limit; read no more before `wait` has called back. */
  takeAnyway(bytes: number): boolean {
    if (this.take(bytes)) return true;
    if (!this.#ended) this.#book(bytes);
    return false;
  }

  /** Calls `then` once, asynchronously, after the bytes are reserved. While it waits, the peer does not count as slow. */
  wait(bytes: number, then: () => void): void {
    if (this.#ended) return;
    this.#waits = true;
    this.#ports.wait(bytes, then);
  }

  give(bytes: number): void {
    if (this.#ended) return;
    this.#book(-bytes);
    this.#ports.freed();
  }

  /** Counts bytes received from the peer or sent to it. */
  moved(bytes: number): void {
    this.#pace.moved(bytes, this.#ports.now());
  }

  /** Bytes a second; `null` where unknown, or where the peer waits for this server. */
  rate(now: number): number | null {
    return this.#waits ? null : this.#pace.rate(now);
  }

  /** Releases all its bytes. */
  end(): void {
    if (this.#ended) return;
    this.#book(-this.#held);
    this.#ended = true;
    this.#ports.ended();
    this.#ports.freed();
  }

  /** Only for `SharedMemory`: its wait is over. */
  served(bytes: number): void {
    this.#waits = false;
    this.#pace.restart(this.#ports.now());
    this.#book(bytes);
  }

  /** Only for `SharedMemory`. */
  cutOff(): void {
    if (this.#ended) return;
    this.end();
    this.#ports.cut();
  }

  #book(bytes: number): void {
    this.#held += bytes;
    for (const account of this.accounts) account.used += bytes;
  }
}

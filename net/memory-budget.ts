import { slowPeer, ThroughputMeter } from './throughput-meter.ts';

/** The owners of memory, each with a share. `null` or absent: unknown, so no share limits it. */
export interface Owners {
  readonly address?: string | null;
  readonly package?: string | null;
  readonly upload?: string | null;
}

interface MemoryBudgetOptions {
  /** Limit in bytes for all together. */
  readonly bytes: number;
  /** The largest share of one owner, 0 to 1. */
  readonly shares: Readonly<Required<Record<keyof Owners, number>>>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

export const defaultShares: MemoryBudgetOptions['shares'] = { address: 1 / 2, package: 1 / 2, upload: 1 / 4 };

/** Bytes in use by all, or by one owner. */
interface Account {
  readonly limit: number;
  used: number;
  reservations: number;
}

interface Waiter {
  readonly reservation: MemoryReservation;
  readonly bytes: number;
  readonly then: () => void;
}

const hasRoom = ({ used, limit }: Account, bytes: number): boolean => used + bytes <= limit;

/** Interval of the check for slow peers while somebody waits, in milliseconds. */
const checkMilliseconds = 1_000;

/**
 * Memory budget in bytes, shared by many peers. Each peer reserves memory when it needs it; no owner gets more than its
 * share. When memory is short, the slowest peers are cut first (throughput-meter.ts), so that fast peers do not have to wait for
 * them.
 */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #all: Account;
  readonly #owners = new Map<string, Account>();
  readonly #reservations = new Set<MemoryReservation>();
  #waiting: Waiter[] = [];
  #looking: NodeJS.Timeout | null = null;
  #serving = false;
  /** Time of the last search for slow peers that freed too little. */
  #noHelpAt = Number.NEGATIVE_INFINITY;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
    this.#all = { limit: options.bytes, used: 0, reservations: 0 };
  }

  /** Bytes reserved by all. */
  get used(): number {
    return this.#all.used;
  }

  /**
   * Registers a peer without reserved bytes. `cut` is called when the peer must be disconnected; its bytes are released
   * then.
   */
  reserve(owners: Owners, cut: () => void): MemoryReservation {
    const accounts = [this.#all];
    const names: string[] = [];
    for (const kind of ['address', 'package', 'upload'] as const) {
      const owner = owners[kind];
      if (owner === undefined || owner === null) continue;
      const name = `${kind} ${owner}`;
      let account = this.#owners.get(name);
      if (!account) {
        account = { limit: this.#options.bytes * this.#options.shares[kind], used: 0, reservations: 0 };
        this.#owners.set(name, account);
      }
      account.reservations += 1;
      accounts.push(account);
      names.push(name);
    }
    const reservation: MemoryReservation = new MemoryReservation({
      accounts,
      now: this.#options.now,
      cut,
      makeRoom: (bytes) => this.#makeRoom(reservation, bytes),
      wait: (bytes, then) => this.#wait({ reservation, bytes, then }),
      freed: () => this.#serveSoon(),
      ended: () => {
        this.#reservations.delete(reservation);
        for (const name of names) {
          const account = this.#owners.get(name)!;
          account.reservations -= 1;
          if (account.reservations === 0) this.#owners.delete(name);
        }
        if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((waiter) => waiter.reservation !== reservation);
      },
    });
    this.#reservations.add(reservation);
    return reservation;
  }

  /** Cuts slow peers until the bytes fit, or no peer is slow. */
  #makeRoom(reservation: MemoryReservation, bytes: number): void {
    const now = this.#options.now();
    if (now - this.#noHelpAt < checkMilliseconds) return;
    this.#cutFor(reservation, bytes, this.#slowest(now));
    if (!reservation.fits(bytes)) this.#noHelpAt = now;
  }

  /** The slow peers, slowest first. */
  #slowest(now: number): MemoryReservation[] {
    const slow: { readonly reservation: MemoryReservation; readonly rate: number }[] = [];
    for (const reservation of this.#reservations) {
      const rate = reservation.reserved > 0 ? reservation.rate(now) : null;
      if (rate !== null && rate < slowPeer.bytesPerSecond) slow.push({ reservation, rate });
    }
    return slow.sort((one, other) => one.rate - other.rate).map(({ reservation }) => reservation);
  }

  #cutFor(reservation: MemoryReservation, bytes: number, slowest: readonly MemoryReservation[]): void {
    for (const account of reservation.accounts) {
      for (const slow of slowest) {
        if (hasRoom(account, bytes)) break;
        if (slow !== reservation && slow.accounts.includes(account)) slow.cutOff();
      }
    }
  }

  #wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#looking ??= setInterval(() => this.#look(), checkMilliseconds).unref();
    this.#serveSoon();
  }

  #look(): void {
    const slowest = this.#slowest(this.#options.now());
    if (slowest.length > 0) for (const { reservation, bytes } of [...this.#waiting]) this.#cutFor(reservation, bytes, slowest);
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
      if (waiter.reservation.isEnded) continue;
      if (waiter.reservation.fits(waiter.bytes)) {
        waiter.reservation.served(waiter.bytes);
        waiter.then();
      } else this.#waiting.push(waiter);
    }
    if (this.#waiting.length > 0 || !this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}

interface ReservationPorts {
  readonly accounts: readonly Account[];
  readonly now: () => number;
  readonly cut: () => void;
  readonly makeRoom: (bytes: number) => void;
  readonly wait: (bytes: number, then: () => void) => void;
  readonly freed: () => void;
  readonly ended: () => void;
}

/** The reservation of one peer. After `end` every call does nothing. */
export class MemoryReservation {
  readonly accounts: readonly Account[];
  readonly #ports: ReservationPorts;
  readonly #throughput: ThroughputMeter;
  #reserved = 0;
  #waits = false;
  #ended = false;

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
    this.accounts = ports.accounts;
    this.#throughput = new ThroughputMeter(ports.now());
  }

  get reserved(): number {
    return this.#reserved;
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
    this.#add(bytes);
    return true;
  }

  /** Reserves bytes that are already in memory. `false`: over the limit; read no more before `wait` has called back. */
  takeAnyway(bytes: number): boolean {
    if (this.take(bytes)) return true;
    if (!this.#ended) this.#add(bytes);
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
    this.#add(-bytes);
    this.#ports.freed();
  }

  /** Counts bytes received from the peer or sent to it. */
  moved(bytes: number): void {
    this.#throughput.moved(bytes, this.#ports.now());
  }

  /** Bytes a second; `null` where unknown, or where the peer waits for this server. */
  rate(now: number): number | null {
    return this.#waits ? null : this.#throughput.rate(now);
  }

  /** Releases all its bytes. */
  end(): void {
    if (this.#ended) return;
    this.#add(-this.#reserved);
    this.#ended = true;
    this.#ports.ended();
    this.#ports.freed();
  }

  /** Only for `MemoryBudget`: its wait is over. */
  served(bytes: number): void {
    this.#waits = false;
    this.#throughput.restart(this.#ports.now());
    this.#add(bytes);
  }

  /** Only for `MemoryBudget`. */
  cutOff(): void {
    if (this.#ended) return;
    this.end();
    this.#ports.cut();
  }

  #add(bytes: number): void {
    this.#reserved += bytes;
    for (const account of this.accounts) account.used += bytes;
  }
}

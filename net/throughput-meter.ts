/** A peer is slow below this many bytes a second, measured over this many milliseconds. */
export const slowPeer = { bytesPerSecond: 64 * 1024, milliseconds: 30_000 } as const;

/** Recent throughput of one peer. Times are in milliseconds of one monotonic clock. */
export class ThroughputMeter {
  #total = 0;
  /** Two samples of the total bytes, each with its time. Once there are two, the older one is 30 to 60 s old. */
  #markAt: number;
  #markTotal = 0;
  #olderAt: number;
  #olderTotal = 0;

  constructor(now: number) {
    this.#markAt = now;
    this.#olderAt = now;
  }

  moved(bytes: number, now: number): void {
    this.#total += bytes;
    this.#turn(now);
  }

  /** Restarts the measurement: the time before was not the peer's fault. */
  restart(now: number): void {
    this.#markAt = now;
    this.#olderAt = now;
    this.#markTotal = this.#total;
    this.#olderTotal = this.#total;
  }

  /** Bytes a second over the last 30 to 60 s; `null` for a peer that was measured for less time. */
  rate(now: number): number | null {
    this.#turn(now);
    const passed = now - this.#olderAt;
    return passed < slowPeer.milliseconds ? null : ((this.#total - this.#olderTotal) * 1_000) / passed;
  }

  #turn(now: number): void {
    if (now - this.#markAt < slowPeer.milliseconds) return;
    this.#olderAt = this.#markAt;
    this.#olderTotal = this.#markTotal;
    this.#markAt = now;
    this.#markTotal = this.#total;
  }
}

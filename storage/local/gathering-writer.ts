import * as fs from 'node:fs';

/** Bytes gathered before they are written. More costs CPU (caches), less costs calls. */
export const gatherSize = 1024 * 1024;

/** Concurrent writes into one file spin on its lock, so few. */
export const writesInFlight = 2;

/** The pieces without their first `count` bytes. */
export function skip(pieces: readonly Buffer[], count: number): Buffer[] {
  const rest: Buffer[] = [];
  let left = count;
  for (const piece of pieces) {
    if (left >= piece.length) {
      left -= piece.length;
      continue;
    }
    rest.push(left > 0 ? piece.subarray(left) : piece);
    left = 0;
  }
  return rest;
}

/** Where the pieces come from, told to wait while too much is gathered. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Writes pieces to a file in order, gathered to 1 MiB, at most two writes in flight. Memory is bounded as
 * long as the source stops when told to. The first failure ends it: `failed` rejects with it.
 */
export class GatheringWriter {
  /** Never resolves. */
  readonly failed: Promise<never>;
  readonly #file: number;
  readonly #flow: Flow;
  readonly #fail: (error: Error) => void;
  #waiters: (() => void)[] = [];
  #pieces: Buffer[] = [];
  #gathered = 0;
  #position = 0;
  #inFlight = 0;
  #state: 'open' | 'ending' | 'failed' = 'open';
  #paused = false;

  constructor(file: number, flow: Flow) {
    this.#file = file;
    this.#flow = flow;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.failed = promise;
    this.#fail = reject;
  }

  add(piece: Buffer): void {
    if (this.#state === 'failed') return;
    this.#pieces.push(piece);
    this.#gathered += piece.length;
    this.#pump();
  }

  /** Writes what is left and resolves when all is written; rejects with the first failure. */
  async finish(): Promise<void> {
    if (this.#state === 'open') this.#state = 'ending';
    this.#pump();
    await this.idle();
    if (this.#state === 'failed') await this.failed;
  }

  /** Resolves when no write is in flight: the file may be closed. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #pump(): void {
    while (this.#state !== 'failed' && this.#inFlight < writesInFlight && this.#isDue()) {
      const pieces = this.#pieces;
      const position = this.#position;
      this.#position += this.#gathered;
      this.#pieces = [];
      this.#gathered = 0;
      this.#inFlight += 1;
      this.#write(pieces, position, this.#position);
    }
    const paused = this.#state === 'open' && this.#gathered >= gatherSize;
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) this.#flow.pause();
    else this.#flow.resume();
  }

  #isDue(): boolean {
    return this.#gathered >= gatherSize || (this.#state === 'ending' && this.#gathered > 0);
  }

  #write(pieces: readonly Buffer[], position: number, end: number): void {
    fs.writev(this.#file, pieces, position, (error, written) => {
      if (!error && position + written < end) return this.#write(skip(pieces, written), position + written, end);
      this.#inFlight -= 1;
      if (error) {
        this.#state = 'failed';
        this.#fail(error);
      }
      this.#pump();
      if (this.#inFlight > 0) return;
      const waiters = this.#waiters;
      this.#waiters = [];
      for (const wake of waiters) wake();
    });
  }
}

import { writeFully } from '#filesystem/fully.ts';
import type { OpenFile } from '#filesystem/port.ts';

/** Bytes collected before a write. A larger buffer costs CPU (caches), a smaller one costs calls. */
export const blockSize = 1024 * 1024;

/** Low, since concurrent writes to one file spin on its lock. */
export const writesInFlight = 2;

/** The source of the pieces: paused while too many bytes are buffered. */
interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Writes pieces to a file in order, in blocks of 1 MiB, with at most two concurrent writes. Memory is bounded as long
 * as the source pauses when asked. The first failure ends it: `failed` rejects with it.
 */
export class BlockWriter {
  /** Never resolves. */
  readonly failed: Promise<never>;
  readonly #file: OpenFile;
  readonly #flow: Flow;
  readonly #written: (bytes: number) => void;
  readonly #fail: (error: Error) => void;
  #waiters: (() => void)[] = [];
  #pieces: Buffer[] = [];
  #buffered = 0;
  #position = 0;
  #inFlight = 0;
  #state: 'open' | 'ending' | 'failed' = 'open';
  #paused = false;
  #flushing = false;

  /** `written` is called with the number of bytes that are no longer buffered. */
  constructor(file: OpenFile, flow: Flow, written: (bytes: number) => void = () => {}) {
    this.#written = written;
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
    this.#buffered += piece.length;
    this.#pump();
  }

  /** Writes the buffered bytes, although the block is not full. */
  flush(): void {
    this.#flushing = this.#buffered > 0;
    this.#pump();
  }

  /** Writes the rest and resolves when all is written; rejects with the first failure. */
  async finish(): Promise<void> {
    if (this.#state === 'open') this.#state = 'ending';
    this.#pump();
    await this.idle();
    if (this.#state === 'failed') await this.failed;
  }

  /** Resolves when no write is running, so that the file may be closed. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #pump(): void {
    while (this.#state !== 'failed' && this.#inFlight < writesInFlight && this.#isDue()) {
      const pieces = this.#pieces;
      const position = this.#position;
      this.#position += this.#buffered;
      this.#pieces = [];
      this.#buffered = 0;
      this.#flushing = false;
      this.#inFlight += 1;
      this.#write(pieces, position, this.#position - position);
    }
    const paused = this.#state === 'open' && this.#buffered >= blockSize;
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) this.#flow.pause();
    else this.#flow.resume();
  }

  #isDue(): boolean {
    return this.#buffered >= blockSize || ((this.#flushing || this.#state === 'ending') && this.#buffered > 0);
  }

  #write(pieces: readonly Buffer[], position: number, size: number): void {
    writeFully(this.#file, pieces, position).then(
      () => this.#ended(size, null),
      (error: Error) => this.#ended(size, error),
    );
  }

  #ended(size: number, error: Error | null): void {
    this.#inFlight -= 1;
    this.#written(size);
    if (error) {
      this.#state = 'failed';
      this.#fail(error);
    }
    this.#pump();
    if (this.#inFlight > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

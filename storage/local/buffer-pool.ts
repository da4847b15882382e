/**
 * A pool of buffers of one size. Reuse is faster: first use of fresh memory costs more than reading a file into a used
 * buffer.
 */
export class BufferPool {
  /** Bytes of each. */
  readonly size: number;
  readonly #free: Buffer[] = [];
  readonly #keep: number;

  /** `size` in bytes; the pool keeps at most `keep` unused buffers. */
  constructor(size: number, keep: number) {
    this.size = size;
    this.#keep = keep;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#keep) this.#free.push(buffer);
  }
}

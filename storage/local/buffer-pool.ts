/** Buffers of one size, kept for the next user: touching fresh memory costs more than reading a file into warm one. */
export class BufferPool {
  readonly #size: number;
  readonly #kept: Buffer[] = [];
  readonly #keep: number;

  /** `size` in bytes; at most `keep` buffers wait unused. */
  constructor(size: number, keep: number) {
    this.#size = size;
    this.#keep = keep;
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.#size);
  }

  give(buffer: Buffer): void {
    if (this.#kept.length < this.#keep) this.#kept.push(buffer);
  }
}

/**
 * A few buffers for the bodies of batch requests, each used by one request at a time. Whole bodies in new memory are some
 * hundred megabytes for ten thousand small files, and the garbage collector goes through the heap each time that so much
 * was allocated. Whoever finds none free, or needs a larger one, takes new memory.
 */
export class BodyBuffers {
  readonly #size: number;
  readonly #free: Buffer[] = [];
  #more: number;

  /** `size` in bytes of each; `most` buffers are ever made. */
  constructor(size: number, most: number) {
    this.#size = size;
    this.#more = most;
  }

  /** `null` where none is free, or `length` is more than it holds. Give it back once nothing uses its bytes any more. */
  take(length: number): Buffer | null {
    if (length > this.#size) return null;
    const free = this.#free.pop();
    if (free || this.#more === 0) return free ?? null;
    this.#more -= 1;
    return Buffer.allocUnsafeSlow(this.#size);
  }

  give(buffer: Buffer): void {
    this.#free.push(buffer);
  }
}

/** A lock for each key: work with the same key runs one at a time; different keys do not wait for each other. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether no work is running or waiting for this key. */
  isFree(key: string): boolean {
    return !this.#last.has(key);
  }

  /** Runs `work` after all earlier work for this key, whether that succeeded or failed. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

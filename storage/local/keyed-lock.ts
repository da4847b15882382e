/** One thing at a time for each key; different keys don't wait for each other. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether nothing runs under this key. */
  isFree(key: string): boolean {
    return !this.#last.has(key);
  }

  /** Runs `work` after everything asked for before under this key, whatever became of it. */
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

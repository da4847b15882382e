/** Something that will be done in a moment unless the person takes it back. */
export interface Pending<T> {
  readonly key: number;
  readonly what: T;
}

export interface UndoPorts<T> {
  /** Does it. Called once for each that was not taken back. */
  readonly carryOut: (what: T) => void;
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** What waits to be done. A person has a moment to take it back; `flush` does all at once, as when the page goes away. */
export interface Undo<T> {
  add(what: T): void;
  undo(key: number): void;
  now(key: number): void;
  flush(): void;
  /** Nothing is carried out until `letGo`, after which each has its whole moment again: somebody is about to decide. */
  hold(): void;
  letGo(): void;
  pending(): readonly Pending<T>[];
  subscribe(listener: () => void): () => void;
}

/** Milliseconds for which something can be taken back. */
export const graceMilliseconds = 8_000;

export function createUndo<T>({ carryOut, after }: UndoPorts<T>): Undo<T> {
  let waiting: readonly Pending<T>[] = [];
  const timers = new Map<number, () => void>();
  const listeners = new Set<() => void>();
  let nextKey = 1;
  let held = false;

  const start = (key: number): void => {
    if (!held)
      timers.set(
        key,
        after(graceMilliseconds, () => now(key)),
      );
  };
  const take = (key: number): Pending<T> | undefined => {
    const found = waiting.find((one) => one.key === key);
    if (!found) return undefined;
    timers.get(key)?.();
    timers.delete(key);
    waiting = waiting.filter((one) => one !== found);
    for (const listener of listeners) listener();
    return found;
  };
  const now = (key: number): void => {
    const found = take(key);
    if (found) carryOut(found.what);
  };

  return {
    add(what) {
      const key = nextKey++;
      waiting = [...waiting, { key, what }];
      start(key);
      for (const listener of listeners) listener();
    },
    undo: (key) => void take(key),
    now,
    flush() {
      for (const { key } of waiting) now(key);
    },
    hold() {
      held = true;
      for (const stop of timers.values()) stop();
      timers.clear();
    },
    letGo() {
      if (!held) return;
      held = false;
      for (const { key } of waiting) start(key);
    },
    pending: () => waiting,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** An action that is carried out after the undo period unless the person undoes it. */
export interface Pending<T> {
  readonly key: number;
  readonly what: T;
}

interface UndoPorts<T> {
  /** Carries out the action. Called once for each one that was not undone. */
  readonly carryOut: (what: T) => void;
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** The queue of pending actions. `flush` carries out all of them at once, e.g. when the page is closed. */
export interface Undo<T> {
  add(what: T): void;
  undo(key: number): void;
  now(key: number): void;
  flush(): void;
  /** Stops all timers. `resume` starts each again with its full period, since the person is still deciding. */
  pause(): void;
  resume(): void;
  pending(): readonly Pending<T>[];
  subscribe(listener: () => void): () => void;
}

/** The undo period in milliseconds. */
export const undoMilliseconds = 8_000;

export function createUndo<T>({ carryOut, after }: UndoPorts<T>): Undo<T> {
  let waiting: readonly Pending<T>[] = [];
  const timers = new Map<number, () => void>();
  const listeners = new Set<() => void>();
  let nextKey = 1;
  let paused = false;

  const start = (key: number): void => {
    if (!paused)
      timers.set(
        key,
        after(undoMilliseconds, () => now(key)),
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
    pause() {
      paused = true;
      for (const stop of timers.values()) stop();
      timers.clear();
    },
    resume() {
      if (!paused) return;
      paused = false;
      for (const { key } of waiting) start(key);
    },
    pending: () => waiting,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

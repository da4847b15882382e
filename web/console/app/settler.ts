interface SettlerParts<T> {
  /** Between two runs. */
  readonly milliseconds: number;
  readonly merge: (before: T, after: T) => T;
  readonly run: (all: T) => void;
}

/** Runs at once for the first of many, then at most every so often for what came meanwhile. */
export interface Settler<T> {
  add(one: T): void;
  /** Runs for what still waits; nothing comes after it. */
  finish(): void;
}

export function createSettler<T>({ milliseconds, merge, run }: SettlerParts<T>): Settler<T> {
  let waiting: { readonly all: T } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    timer = undefined;
    if (!waiting) return;
    const { all } = waiting;
    waiting = null;
    timer = setTimeout(next, milliseconds);
    run(all);
  };
  return {
    add(one) {
      waiting = { all: waiting ? merge(waiting.all, one) : one };
      if (timer === undefined) next();
    },
    finish() {
      clearTimeout(timer);
      if (waiting) run(waiting.all);
      waiting = null;
    },
  };
}

/** Parts of one file under way at once. The first failure cancels the others. */
export interface PartTasks {
  /** Fires after a failure, and with the outer signal. */
  readonly signal: AbortSignal;
  /** Starts a task as soon as fewer than `limit` run. Rejects with the first failure. */
  start(task: () => Promise<void>): Promise<void>;
  /** Resolves when all have ended. Rejects with the first failure. */
  end(): Promise<void>;
  /** Cancels them and waits until they have ended. */
  cancel(reason: unknown): Promise<void>;
}

export function createPartTasks(limit: number, outer: AbortSignal): PartTasks {
  const controller = new AbortController();
  const signal = AbortSignal.any([outer, controller.signal]);
  const running = new Set<Promise<void>>();

  const end = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
    signal.throwIfAborted();
  };

  return {
    signal,
    async start(task) {
      while (running.size >= limit) await Promise.race(running);
      signal.throwIfAborted();
      const run: Promise<void> = task()
        .catch((error: unknown) => controller.abort(error))
        .finally(() => running.delete(run));
      running.add(run);
    },
    end,
    async cancel(reason) {
      controller.abort(reason);
      await end().catch(() => undefined);
    },
  };
}

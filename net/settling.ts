/**
 * Waits for one promise again and again, each time for so long at most: what a stream does that says in silence that it is still
 * there. `Promise.race` would leave with each wait something on the promise that is held until it settles, which of a quiet
 * stream is days.
 */
export interface Settling<T> {
  readonly promise: Promise<T>;
  /** Whether it has settled, which is waited for so many milliseconds. One call at a time; a rejection is for whoever awaits `promise`. */
  within(milliseconds: number): Promise<boolean>;
}

export function settling<T>(promise: Promise<T>): Settling<T> {
  let isSettled = false;
  let wake: (() => void) | null = null;
  const settled = (): void => {
    isSettled = true;
    wake?.();
  };
  promise.then(settled, settled);
  return {
    promise,
    async within(milliseconds) {
      if (isSettled) return true;
      const waited = Promise.withResolvers<void>();
      const timer = setTimeout(waited.resolve, milliseconds);
      wake = waited.resolve;
      await waited.promise;
      clearTimeout(timer);
      wake = null;
      return isSettled;
    },
  };
}

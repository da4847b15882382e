/** A signal that is aborted when its caller's is, or when its time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the time was up first. */
  readonly isOver: () => boolean;
  /** Lets go of the caller's signal and of the timer. What `AbortSignal.any` and `timeout` make is held until the time is up. */
  readonly end: () => void;
}

/** For work that is done often and mostly ends long before its time. */
export function startDeadline(caller: AbortSignal, milliseconds: number): Deadline {
  const own = new AbortController();
  let isOver = false;
  const stop = () => own.abort(caller.reason);
  const timer = setTimeout(() => {
    isOver = !own.signal.aborted;
    own.abort(new DOMException('The time was up.', 'TimeoutError'));
  }, milliseconds);
  timer.unref();
  if (caller.aborted) stop();
  else caller.addEventListener('abort', stop, { once: true });
  return {
    signal: own.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', stop);
    },
  };
}

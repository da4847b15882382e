import { AsyncLocalStorage } from 'node:async_hooks';

/** The trace of a call of a host, such as a page: the service is asked under it while the call is answered. */
interface CallTrace {
  /** Null once the call is over: timers and transfers that it has begun are not its own. */
  traceparent: string | null;
}

const current = new AsyncLocalStorage<CallTrace>();

/** `traceparent` of the call that this code works for; null where it has none. */
export const callTraceparent = (): string | null => current.getStore()?.traceparent ?? null;

/** Does the work of a call under the trace that its caller named; null: none. */
export async function inCallTrace<T>(traceparent: string | null, work: () => Promise<T>): Promise<T> {
  if (traceparent === null) return work();
  const trace: CallTrace = { traceparent };
  try {
    return await current.run(trace, work);
  } finally {
    trace.traceparent = null;
  }
}

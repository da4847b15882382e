import type { Engine } from '#engine/engine.ts';
import { settling } from '#net/settling.ts';
import { eventsHeartbeatSeconds } from '#protocol/agent/events.ts';

/** How long a browser waits before it connects again, in milliseconds. */
const reconnectAfter = 1_000;

interface EventStreamOptions {
  /** Replays the events after this id; `null` starts with the next event. */
  readonly after: number | null;
  readonly signal: AbortSignal;
  /** Milliseconds of silence after which a comment is sent as a heartbeat. */
  readonly heartbeat?: number;
}

/** One message of a server-sent event stream. JSON holds no line break, so one `data:` line is enough. */
function eventMessage(event: { readonly id: number }): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * The engine's events as a server-sent event stream. Nothing is buffered here: the next event is requested after the
 * previous one was consumed, and the engine bounds its own queue. Ends when the signal fires.
 */
export async function* eventStream(events: Engine['events'], options: EventStreamOptions): AsyncGenerator<string> {
  const { after, signal, heartbeat = eventsHeartbeatSeconds * 1_000 } = options;
  if (signal.aborted) return;
  const iterator = events.subscribe(after, signal)[Symbol.asyncIterator]();
  try {
    yield `retry: ${reconnectAfter}\n\n`;
    let next = settling(iterator.next());
    while (!signal.aborted) {
      if (!(await next.within(heartbeat))) {
        yield ': still here\n\n';
        continue;
      }
      const { done, value } = await next.promise;
      // It ends when the signal fires, too; what it has in store is for nobody then.
      if (done || signal.aborted) return;
      yield eventMessage(value);
      next = settling(iterator.next());
    }
  } finally {
    // Not awaited: while a generator waits for its next event, it does not answer `return`.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

import type { Engine } from '#engine/engine.ts';
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
  const ended = Promise.withResolvers<'ended'>();
  const end = () => ended.resolve('ended');
  if (signal.aborted) return;
  signal.addEventListener('abort', end, { once: true });
  const iterator = events.subscribe(after, signal)[Symbol.asyncIterator]();
  try {
    yield `retry: ${reconnectAfter}\n\n`;
    let next = iterator.next();
    for (;;) {
      const silence = timer(heartbeat);
      const outcome = await Promise.race([next, silence.over, ended.promise]).finally(silence.stop);
      if (outcome === 'ended') return;
      if (outcome === 'silence') {
        yield ': still here\n\n';
        continue;
      }
      if (outcome.done) return;
      yield eventMessage(outcome.value);
      next = iterator.next();
    }
  } finally {
    signal.removeEventListener('abort', end);
    // Not awaited: while a generator waits for its next event, it does not answer `return`.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function timer(milliseconds: number) {
  const { promise, resolve } = Promise.withResolvers<'silence'>();
  const handle = setTimeout(resolve, milliseconds, 'silence');
  return { over: promise, stop: () => clearTimeout(handle) };
}

import { settling } from '#net/settling.ts';
import type { PackageEvent } from '#protocol/hosted/package-events.ts';
import { newId } from '../ids.ts';
import type { Subscription } from './watch.ts';

interface StreamRules {
  readonly signal: AbortSignal;
  /** When the right to read ends, milliseconds since 1970; null: never. */
  readonly until: number | null;
  readonly now: () => Date;
  /** Throws when the right to read has ended. Called after every period of silence. */
  readonly check: () => Promise<void>;
  /** Milliseconds of silence before a comment is sent. */
  readonly silence?: number;
}

/** How long a browser waits before it connects again, in milliseconds. */
const reconnectAfter = 2_000;
const defaultSilenceMilliseconds = 15_000;
/** Node's timers hold at most 24 days. */
const maxTimer = 2 ** 31 - 1;

/**
 * A package's events as server-sent events: its state first. JSON contains no line break, so one `data:` line is enough.
 * Ends when the right to read, the package or the subscription ends.
 */
export async function* packageEventStream(subscription: Subscription, rules: StreamRules): AsyncGenerator<string> {
  const { signal, until, now, check, silence = defaultSilenceMilliseconds } = rules;
  const end = () => subscription.close();
  signal.addEventListener('abort', end, { once: true });
  const deadline = until === null ? undefined : setTimeout(end, Math.min(Math.max(0, until - now().getTime()), maxTimer));
  try {
    yield `retry: ${reconnectAfter}\n\n`;
    let next = settling(subscription.next());
    let quietSince = performance.now();
    while (!signal.aborted) {
      if (await next.within(silence)) {
        const event = await next.promise;
        if (event === null) return;
        yield eventText(event);
        if (event.state === 'expired' || event.state === 'archived') return;
        next = settling(subscription.next());
      } else yield ': still here\n\n';
      if (performance.now() - quietSince < silence) continue;
      quietSince = performance.now();
      try {
        await check();
      } catch {
        // A client that reconnects gets the reason in the response.
        return;
      }
    }
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
    subscription.close();
  }
}

const eventText = (event: PackageEvent): string => `id: ${newId()}\ndata: ${JSON.stringify(event)}\n\n`;

import { type Backoff, backoffDelay, patient } from '#client/backoff.ts';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, Fetcher } from '#client/ports.ts';
import { refusal } from '#client/refusals.ts';
import { errorMessage } from '#protocol/errors.ts';
import type { Clock } from './ports.ts';

/** A service that does not answer itself. Times are milliseconds since 1970. */
export interface UnreachableService {
  readonly serviceUrl: string;
  readonly since: number;
  /** A sentence. */
  readonly reason: string;
  readonly nextTryAt: number;
}

/** Tracks unreachable services: detected by normal calls, then probed until they answer. */
interface Reachability {
  /** Wraps a fetcher and observes the results of its calls. */
  watch(fetcher: Fetcher): Fetcher;
  unreachable(): readonly UnreachableService[];
  /** Probes each of them at once. */
  tryNow(): void;
  close(): void;
}

interface ReachabilityPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly fetcher: Fetcher;
  /** Whether anything waits for a service; if not, it is probed less often. */
  readonly isWaitedFor: () => boolean;
  readonly changed: (unreachable: readonly UnreachableService[]) => void;
  /** Called when a service is reachable again: waiters can continue. */
  readonly back: () => void;
}

interface Gone {
  readonly since: number;
  readonly reason: string;
  readonly failures: number;
  readonly nextTryAt: number;
  readonly cancel: () => void;
}

/** Same intervals as the prober of a transfer during an outage (transfer/outage.ts). */
const often: Backoff = { first: 1_000, most: 5_000 };

export function createReachability({ clock, random, fetcher, isWaitedFor, changed, back }: ReachabilityPorts): Reachability {
  const gone = new Map<string, Gone>();
  /** Services with a probe in progress. */
  const asking = new Set<string>();
  const closing = new AbortController();

  const unreachable = (): readonly UnreachableService[] =>
    [...gone].map(([serviceUrl, { since, reason, nextTryAt }]) => ({ serviceUrl, since, reason, nextTryAt }));

  const schedule = (url: string, { since, reason, failures }: Pick<Gone, 'since' | 'reason' | 'failures'>): void => {
    const delay = backoffDelay(failures, random, isWaitedFor() ? often : patient);
    const cancel = clock.after(delay, () => void ask(url));
    gone.set(url, { since, reason, failures, nextTryAt: clock.now() + delay, cancel });
    changed(unreachable());
  };

  const failed = (url: string, reason: string): void => {
    if (closing.signal.aborted || asking.has(url)) return;
    const before = gone.get(url);
    if (!before) schedule(url, { since: clock.now(), reason, failures: 1 });
    else if (before.reason !== reason) {
      gone.set(url, { ...before, reason });
      changed(unreachable());
    }
  };

  const answered = (url: string): void => {
    const before = gone.get(url);
    if (!before) return;
    before.cancel();
    gone.delete(url);
    changed(unreachable());
    back();
  };

  const watch =
    (ask: Fetcher): Fetcher =>
    async (request) => {
      const { service: url, signal } = request;
      if (url === undefined) return ask(request);
      try {
        const reply = await ask(request);
        const reason = troubleIn(reply);
        if (reason === null) answered(url);
        else failed(url, reason);
        return reply;
      } catch (cause) {
        if (!signal?.aborted) failed(url, errorMessage('service_unreachable', { url, detail: wordsOf(cause) }));
        throw cause;
      }
    };

  /** Any answer of the service itself is enough. */
  async function ask(url: string): Promise<void> {
    const before = gone.get(url);
    if (!before || asking.has(url) || closing.signal.aborted) return;
    before.cancel();
    let reason = before.reason;
    const noting: Fetcher = async (request) => {
      const reply = await fetcher(request);
      const trouble = troubleIn(reply);
      if (trouble === null) answered(url);
      else reason = trouble;
      return reply;
    };
    asking.add(url);
    try {
      await createHostedClient({ baseUrl: url, fetcher: noting }).call('packageSpec', { signal: closing.signal });
    } catch (error) {
      if (reason === before.reason && error instanceof Error) reason = error.message;
    } finally {
      asking.delete(url);
    }
    if (gone.has(url) && !closing.signal.aborted) schedule(url, { since: before.since, reason, failures: before.failures + 1 });
  }

  return {
    watch,
    unreachable,
    tryNow() {
      for (const url of gone.keys()) void ask(url);
    },
    close() {
      closing.abort();
      for (const { cancel } of gone.values()) cancel();
    },
  };
}

/** Why an answer is not the service's own, or says that the service cannot work now; `null` if the service is reachable. */
function troubleIn(reply: ApiReply): string | null {
  const { status, text } = reply;
  if (status >= 200 && status < 300) {
    return /^\s*</.test(text) ? `Something on the way to the service answered in its place, with status ${status} and a page.` : null;
  }
  const { foreign, error, message } = refusal(reply);
  return foreign || error === 'unavailable' ? message : null;
}

function wordsOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? '') : String(cause);
  return words.replace(/\.$/, '') || 'no answer';
}

/** As the local API shows it, with the number of transfers that go there. */
export function unreachableView({ serviceUrl, since, reason, nextTryAt }: UnreachableService, transfers: number) {
  return {
    service_url: serviceUrl,
    since: new Date(since).toISOString(),
    reason,
    next_try_at: new Date(nextTryAt).toISOString(),
    transfers,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { TeamChange, TeamEvent } from '#protocol/hosted/team-events.ts';
import { newId } from '../ids.ts';
import { formatDateTime } from '../wire-times.ts';
import type { TeamChanges, TeamSubscription } from './team-hub.ts';

interface StreamRules {
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** What the reader hears of it, by what they may do now. Throws when they may hear nothing any more. */
  readonly heard: (changes: Exclude<TeamChanges, null>) => Promise<readonly TeamChange[]>;
}

/** How long a browser waits before it connects again, in milliseconds. */
const reconnectAfter = 2_000;
/** Milliseconds of silence before a comment is sent, and what the reader may do is looked at. */
const silence = 15_000;
/** Milliseconds between two messages: changes in between are one. */
const pause = 1_000;
/** A stream ends after these milliseconds: whoever connects again proves anew who they are. */
const lifetime = 300_000;

/** A Team's events as server-sent events. Ends with the right to read, with its time, or with the process. */
export async function* teamEventStream(subscription: TeamSubscription, { signal, now, heard }: StreamRules): AsyncGenerator<string> {
  const until = performance.now() + lifetime;
  const text = (position: string | null, type: TeamEvent['type'], changes: readonly TeamChange[]): string => {
    const event: TeamEvent = { type, at: formatDateTime(now()), changes: [...changes] };
    // One that is no position begins anew.
    return `id: ${position ?? newId()}\ndata: ${JSON.stringify(event)}\n\n`;
  };
  yield `retry: ${reconnectAfter}\n\n`;
  // Of a moment before what is taken next: that is told whole, and perhaps once more by the next stream.
  let position = await subscription.position();
  const before = subscription.continues ? subscription.take() : null;
  try {
    yield before ? text(position, 'changed', await heard(before)) : text(position, 'state', []);
  } catch {
    return;
  }
  let saidAt = performance.now();
  for (;;) {
    const left = until - performance.now();
    if (left <= 0) return;
    const woken = await subscription.wait(Math.min(silence, left), signal);
    if (signal.aborted || subscription.ended) return;
    position = await subscription.position();
    const changes = subscription.take();
    let news: readonly TeamChange[];
    try {
      news = await heard(changes ?? new Map());
    } catch {
      // A client that reconnects gets the reason in the response.
      return;
    }
    const isNews = changes === null || news.length > 0;
    if (isNews || performance.now() - saidAt >= silence) {
      yield isNews
        ? text(position, changes ? 'changed' : 'state', news)
        : `${position === null ? '' : `id: ${position}\n`}: still here\n\n`;
      saidAt = performance.now();
    }
    if (woken) await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

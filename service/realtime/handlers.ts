import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { seePackage } from '../packages/access.ts';
import { packageEventStream } from './stream.ts';
import type { Subscription } from './watch.ts';

/** Where a package goes is its Team's matter: senders and recipients do not list its transfers either. */
const withoutTransfers = (subscription: Subscription): Subscription => ({
  async next() {
    const event = await subscription.next();
    if (!event) return null;
    const { transfers: _, ...others } = event;
    return others;
  },
  close: subscription.close,
});

/** Progress of a package by any of its tokens (contract/event-streams.md §1; docs/decisions/0015). */
export const realtimeHandlers: HandlersOf<'streamPackageEvents'> = {
  async streamPackageEvents({ params }, context) {
    const { credential, events, streamPermits, now, stream } = context;
    const { row } = await seePackage(context, params.package_id);
    if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
    const release = streamPermits.acquire(credential.tokenId);
    const subscription = events.subscribe(row.id);
    const text = packageEventStream(credential.kind === 'package:manage' ? subscription : withoutTransfers(subscription), {
      signal: stream.signal,
      until: stream.until?.getTime() ?? null,
      now,
      check: async () => {
        await seePackage(context, params.package_id);
      },
    });
    // Given back however the stream ends, also before its first piece was asked for.
    const close = () => {
      release();
      subscription.close();
    };
    if (stream.signal.aborted) close();
    else stream.signal.addEventListener('abort', close, { once: true });
    return text;
  },
};

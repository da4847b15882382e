import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { seePackage } from '../packages/access.ts';
import { packageEventStream } from './stream.ts';

/** Progress of a package by any of its tokens (contract/event-streams.md §1; docs/decisions/0015). */
export const realtimeHandlers: HandlersOf<'streamPackageEvents'> = {
  async streamPackageEvents({ params }, context) {
    const { credential, events, streamPermits, now, stream } = context;
    const { row } = await seePackage(context, params.package_id);
    if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
    const release = streamPermits.acquire(credential.tokenId);
    const subscription = events.subscribe(row.id);
    const text = packageEventStream(subscription, {
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

import { ApiError } from '#protocol/errors.ts';
import { callerNow } from '../credentials/caller-now.ts';
import type { HandlersOf } from '../handler.ts';
import { seePackage } from '../packages/access.ts';
import { teamAccess } from '../teams/access.ts';
import { requireReader } from './reader.ts';
import { packageEventStream } from './stream.ts';
import { streamShares } from './stream-shares.ts';
import { changesFor } from './team-changes.ts';
import { teamEventStream } from './team-stream.ts';
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

/** Gives back what a stream holds however it ends, also before its first piece was asked for. */
function endWith(signal: AbortSignal, close: () => void): void {
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
}

/** Progress of a package by any of its tokens, and what changes in a Team (contract/event-streams.md §1, §4; docs/decisions/0015, 0085). */
export const realtimeHandlers: HandlersOf<'streamPackageEvents' | 'streamTeamEvents'> = {
  async streamTeamEvents({ params, query }, context) {
    const { db, events, streamPermits, now, stream } = context;
    const { teamId, userId } = await teamAccess(context, params.team_id, 'packages.read');
    const release = streamPermits.acquire(`team ${userId}`);
    const subscription = await events.subscribeTeam(teamId, query.since).catch((error: unknown) => {
      release();
      throw error;
    });
    endWith(stream.signal, () => {
      release();
      subscription.close();
    });
    return teamEventStream(subscription, {
      signal: stream.signal,
      now,
      heard: async (changes) => changesFor(db, await teamAccess(await callerNow(context), teamId, 'packages.read'), changes),
    });
  },

  async streamPackageEvents({ params }, context) {
    const { credential, events, peer, streamPermits, now, stream } = context;
    const { row } = await seePackage(context, params.package_id);
    if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
    const release = streamPermits.acquire(credential.tokenId, streamShares(credential, peer));
    const subscription = events.subscribe(row.id);
    const text = packageEventStream(credential.kind === 'package:manage' ? subscription : withoutTransfers(subscription), {
      signal: stream.signal,
      until: stream.until?.getTime() ?? null,
      now,
      check: () => requireReader(context, params.package_id),
    });
    endWith(stream.signal, () => {
      release();
      subscription.close();
    });
    return text;
  },
};

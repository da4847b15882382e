import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ServiceError } from '#client/errors.ts';
import { refusal } from '#client/refusals.ts';
import { EventParser } from '#client/server-sent-events.ts';
import type { TeamChange, TeamEvent } from '#protocol/hosted/team-events.ts';
import { accountKey, useAccount } from './account.ts';
import { defineCalls, useApi, useTransport } from './api.ts';
import { createSettler } from './settler.ts';
import { staleAfter } from './stale-after.ts';

/** Whether the service tells by itself what changes in the Team. */
export interface LiveState {
  readonly isLive: () => boolean;
  readonly subscribe: (changed: () => void) => () => void;
  set(isLive: boolean): void;
  /** From where the next stream of each Team goes on, by its id: all that was read of it was read after that, or told anew since. */
  readonly positions: Map<string, string>;
  /** Which query keys the stream has asked for anew as soon as it stands again, where it must: null if there was none. */
  awaited: ((key: readonly unknown[]) => boolean) | null;
}

export function createLiveState(): LiveState {
  const listeners = new Set<() => void>();
  let live = false;
  return {
    isLive: () => live,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    set(now) {
      if (now === live) return;
      live = now;
      for (const changed of listeners) changed();
    },
    positions: new Map(),
    awaited: null,
  };
}

/** A list of more pages than these is not loaded anew below the person who scrolls in it. */
const livePages = 3;
const isLong = (data: unknown): boolean => ((data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) > livePages;

interface AskedQuery {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly data: unknown };
}

/**
 * Whether a query is asked for anew because the person came back to the tab: not where the stream, which ends with a hidden tab,
 * is about to have it asked for.
 */
export const refetchOnReturn =
  (live: LiveState) =>
  ({ queryKey, state }: AskedQuery): false | 'always' =>
    live.awaited?.(queryKey) && !isLong(state.data) ? false : 'always';

export const LiveContext = createContext<LiveState>(createLiveState());

/** Milliseconds between two looks at what changes by itself; false while the service tells of it. */
export function useFallbackInterval(milliseconds: number): number | false {
  const { subscribe, isLive } = useContext(LiveContext);
  return useSyncExternalStore(subscribe, isLive) ? false : milliseconds;
}

/** Milliseconds before a view's first connection, which is not to hold it up, between two after a failure, and for a Team's position. */
const wait = { first: 1_500, failed: 10_000, watched: 1_000 } as const;
/** Statuses of a stream that is refused for good: only a person changes that. */
const endsAccess: readonly number[] = [402, 403, 404];
/** Milliseconds between two times that views are asked for anew: a busy Team has news all the time. */
const settle = 3_000;

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Asks for what is shown of a Team anew as soon as it changes, while the console is in sight. */
export function useTeamChanges(teamId: string): void {
  const { baseUrl, streamFetcher } = useTransport();
  const cache = useQueryClient();
  const live = useContext(LiveContext);
  const account = useAccount();
  // All that was read of the Team that the console began with was read after that.
  const [first] = useState(account.position);
  useEffect(() => {
    const { positions } = live;
    const settler = createSettler<readonly TeamChange[] | null>({
      milliseconds: settle,
      // `null`: anything may have changed.
      merge: (before, after) => (before && after ? [...before, ...after] : null),
      run(changes) {
        const isStale = staleAfter(teamId, changes);
        void cache.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey), refetchType: 'none' });
        void cache.refetchQueries({
          type: 'active',
          predicate: ({ queryKey, state }) => isStale(queryKey) && !isLong(state.data),
        });
      },
    });
    /** Anything may have changed while nobody was told. */
    const catchUp = (): void => {
      live.awaited = null;
      settler.add(null);
    };
    let refused = false;
    let stop = new AbortController();
    const follow = async (signal: AbortSignal, pause: number): Promise<void> => {
      await rest(pause, signal);
      while (!signal.aborted) {
        const parser = new EventParser();
        const since = positions.get(teamId) ?? first;
        const began = performance.now();
        try {
          const reply = await streamFetcher({
            method: 'GET',
            url: `${baseUrl}/v1/teams/${teamId}/events${since === undefined ? '' : `?${new URLSearchParams({ since })}`}`,
            headers: { accept: 'text/event-stream' },
            signal,
            onText(piece) {
              for (const { data } of parser.push(piece)) {
                const event = JSON.parse(data) as Partial<TeamEvent>;
                // The body of a refusal is none.
                if (event.type === undefined) continue;
                live.set(true);
                // What was refused meanwhile is shown again, too.
                if (event.type === 'state' || refused) catchUp();
                else settler.add(event.changes ?? []);
                // It goes on from where the last one ended: nothing was missed.
                live.awaited = null;
                refused = false;
              }
              if (parser.lastEventId !== null) positions.set(teamId, parser.lastEventId);
            },
          });
          if (reply.status !== 200) throw refusal(reply);
          // Whatever answers so is no stream, or one that something on the way cuts off.
          if (performance.now() - began < wait.failed) throw new Error('The stream ended at once.');
        } catch (error) {
          if (signal.aborted) return;
          live.set(false);
          // The person is in the Team no more, or the Team is inactive: both show in what is asked for.
          const isRefusal = error instanceof ServiceError && endsAccess.includes(error.answered);
          if (isRefusal && !refused) {
            refused = true;
            void cache.invalidateQueries({ queryKey: accountKey });
            catchUp();
          } else if (live.awaited) catchUp();
          await rest(wait.failed, signal);
        }
      }
    };
    const onVisibility = (): void => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible') return void follow(stop.signal, 0);
      if (live.isLive()) live.awaited = staleAfter(teamId, null);
      live.set(false);
    };
    if (document.visibilityState === 'visible') void follow(stop.signal, wait.first);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop.abort();
      // A later stream of the Team goes on after it.
      settler.finish();
      live.awaited = null;
      live.set(false);
    };
  }, [baseUrl, streamFetcher, cache, live, teamId, first]);
  useRoleChange(account.teams.find(({ id }) => id === teamId)?.role, teamId);
}

/** By another role one sees other things of the Team. */
function useRoleChange(role: string | undefined, teamId: string): void {
  const cache = useQueryClient();
  const before = useRef({ role, teamId });
  useEffect(() => {
    const last = before.current;
    before.current = { role, teamId };
    if (last.teamId === teamId && last.role !== role) void cache.invalidateQueries({ queryKey: ['team', teamId] });
  }, [role, teamId, cache]);
}

const calls = defineCalls({ currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } } });

/**
 * Has a Team watched that is shown next, so that what is read of it then is not read again once its stream stands. Resolves in any
 * case, soon.
 */
export function useWatchBefore(): (teamId: string) => Promise<void> {
  const api = useApi(calls);
  const cache = useQueryClient();
  const { positions } = useContext(LiveContext);
  return async (teamId) => {
    try {
      const { position } = await api.call('currentUser', { query: { watch: teamId }, signal: AbortSignal.timeout(wait.watched) });
      if (position === undefined) return;
      // What is kept of an earlier visit is older.
      const isStale = staleAfter(teamId, null);
      void cache.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey), refetchType: 'none' });
      positions.set(teamId, position);
    } catch {
      // Its stream finds out that anything may have changed.
    }
  };
}

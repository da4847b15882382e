import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import { refusal } from '#client/refusals.ts';
import { EventParser } from '#client/server-sent-events.ts';
import type { TeamChange, TeamEvent } from '#protocol/hosted/team-events.ts';
import { useTransport } from './api.ts';
import { createSettler } from './settler.ts';
import { staleAfter } from './stale-after.ts';

/** Whether the service tells by itself what changes in the Team. */
export interface LiveState {
  readonly isLive: () => boolean;
  readonly subscribe: (changed: () => void) => () => void;
  set(isLive: boolean): void;
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
  };
}

export const LiveContext = createContext<LiveState>(createLiveState());

/** Milliseconds between two looks at what changes by itself; false while the service tells of it. */
export function useFallbackInterval(milliseconds: number): number | false {
  const { subscribe, isLive } = useContext(LiveContext);
  return useSyncExternalStore(subscribe, isLive) ? false : milliseconds;
}

/** Milliseconds before the first connection, which is not to hold up the first view, and between two after a failure. */
const wait = { first: 1_500, failed: 10_000 } as const;
/** Milliseconds between two times that views are asked for anew: a busy Team has news all the time. */
const settle = 3_000;
/** A list of more pages than these is not loaded anew below the person who scrolls in it. */
const livePages = 3;

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
  useEffect(() => {
    const settler = createSettler<readonly TeamChange[] | null>({
      milliseconds: settle,
      // `null`: anything may have changed.
      merge: (before, after) => (before && after ? [...before, ...after] : null),
      run(changes) {
        const isStale = staleAfter(teamId, changes);
        const isLong = (data: unknown): boolean =>
          ((data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) > livePages;
        const matching = {
          queryKey: ['team', teamId],
          predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => isStale(queryKey),
        };
        void cache.invalidateQueries({ ...matching, refetchType: 'none' });
        void cache.refetchQueries({
          ...matching,
          type: 'active',
          predicate: ({ queryKey, state }) => isStale(queryKey) && !isLong(state.data),
        });
      },
    });
    let stop = new AbortController();
    const follow = async (signal: AbortSignal): Promise<void> => {
      await rest(wait.first, signal);
      while (!signal.aborted) {
        const parser = new EventParser();
        const began = performance.now();
        try {
          const reply = await streamFetcher({
            method: 'GET',
            url: `${baseUrl}/v1/teams/${teamId}/events`,
            headers: { accept: 'text/event-stream' },
            signal,
            onText(piece) {
              for (const { data } of parser.push(piece)) {
                const event = JSON.parse(data) as Partial<TeamEvent>;
                // The body of a refusal is none.
                if (event.type === undefined) continue;
                live.set(true);
                settler.add(event.type === 'state' ? null : (event.changes ?? []));
              }
            },
          });
          if (reply.status !== 200) throw refusal(reply);
          // Whatever answers so is no stream, or one that something on the way cuts off.
          if (performance.now() - began < wait.failed) throw new Error('The stream ended at once.');
        } catch {
          live.set(false);
          await rest(wait.failed, signal);
        }
      }
    };
    const onVisibility = (): void => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible') void follow(stop.signal);
      else live.set(false);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop.abort();
      settler.stop();
      live.set(false);
    };
  }, [baseUrl, streamFetcher, cache, live, teamId]);
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { defineCalls, usePatientApi } from './api.ts';

const calls = defineCalls({
  waitForPackages: { method: 'GET', path: '/v1/teams/{team_id}/packages/wait', reply: { status: 200 } },
});

/** Seconds that one call waits, and that pass before the next one after a failure. */
const wait = 50;
const pause = 10;
/** Seconds between two times that a view is asked for anew: a busy Team has news all the time. */
const settle = 5;

const rest = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Asks for a Team's data anew as soon as a package of it is finalized, while the console is in sight. */
export function useTeamChanges(teamId: string): void {
  const api = usePatientApi(calls);
  const cache = useQueryClient();
  useEffect(() => {
    let stop = new AbortController();
    const follow = async (signal: AbortSignal): Promise<void> => {
      let after: string | undefined;
      while (!signal.aborted) {
        try {
          const { at, packages } = await api.call('waitForPackages', {
            params: { team_id: teamId },
            query: { wait, ...(after === undefined ? {} : { after }) },
            signal,
          });
          after = at;
          if (packages.length === 0) continue;
          // Storage by day is read from all packages, and changes little by one of them.
          void cache.invalidateQueries({ queryKey: ['team', teamId], predicate: ({ queryKey }) => queryKey[2] !== 'storage' });
          await rest(settle, signal);
        } catch {
          after = undefined;
          await rest(pause, signal);
        }
      }
    };
    const onVisibility = (): void => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible') void follow(stop.signal);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop.abort();
    };
  }, [api, cache, teamId]);
}

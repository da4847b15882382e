import { useContext, useMemo } from 'react';
import { browserFetcher } from '../../common/browser-fetcher.ts';
import { createPageClient } from '../../common/page-client.ts';
import { handlePickers } from '../../sending/files/read-entries.ts';
import { openStore, type StoreTrouble } from '../../sending/store.ts';
import type { SendingEnvironment } from '../../sending/view/environment.ts';
import { useAccount, useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { BackgroundWorkContext } from '../app/background-work.ts';
import { createRunningPackages, type RunningPackages } from './running.ts';

const calls = defineCalls({
  getTeamPackage: { method: 'GET', path: '/v1/teams/{team_id}/packages/{package_id}', reply: { status: 200 } },
});

/** What the packages of a person in a Team are stored under, so that nobody else at this browser goes on with them. */
export const senderOf = (teamId: string, userId: string): string => `team ${teamId} ${userId}`;

let trouble: StoreTrouble | null = null;
/** Without the session's cookie: what sends a package has its token, and outlives no sign-out. */
const fetcher = browserFetcher((input, init) => fetch(input, init));
const browser = {
  api: createPageClient(fetcher, location.origin),
  fetcher,
  store: openStore(globalThis.indexedDB, (what) => {
    trouble = what;
  }),
  trouble: () => trouble,
  locks: navigator.locks as LockManager | undefined,
  pickers: handlePickers(window as unknown as Parameters<typeof handlePickers>[0]),
} as const;

/** The sender of the upload page, for whoever is signed in. */
export function useSender(): SendingEnvironment & { readonly sender: string } {
  const team = useTeam();
  const { user } = useAccount();
  const api = useApi(calls);
  return useMemo(
    () => ({
      ...browser,
      sender: senderOf(team.id, user.id),
      tokenOf: async ({ id }) => (await api.call('getTeamPackage', { params: { team_id: team.id, package_id: id } })).access_token,
    }),
    [api, team.id, user.id],
  );
}

const running = new WeakMap<object, RunningPackages>();

/** What this tab sends: one for the whole console. */
export function useRunningPackages(): RunningPackages {
  const work = useContext(BackgroundWorkContext);
  const known = running.get(work);
  if (known) return known;
  const made = createRunningPackages(work);
  running.set(work, made);
  return made;
}

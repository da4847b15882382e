import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { Account, OwnTeam } from '#protocol/hosted/accounts.ts';
import { goTo } from './address.ts';
import { defineCalls, useApi } from './api.ts';
import { useAnswers } from './connection.ts';
import { forgetOwn } from './own-storage.ts';
import { tellSignedOut } from './signed-out.ts';
import { teamIn } from './team-in.ts';

const calls = defineCalls({
  currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } },
  listSessions: { method: 'GET', path: '/v1/sessions', reply: { status: 200 } },
  endSession: { method: 'DELETE', path: '/v1/sessions/{session_id}', reply: { status: 204 } },
});

export const accountKey = ['account'] as const;
/** Milliseconds between two questions whether the service is back. */
const retryPause = 5_000;

/** Who is signed in, with their Teams; null if nobody is. */
export function useAccountQuery() {
  const api = useApi(calls);
  const answers = useAnswers();
  const cache = useQueryClient();
  return useQuery({
    queryKey: accountKey,
    queryFn: async ({ signal }): Promise<Account | null> => {
      try {
        const isFirst = cache.getQueryData(accountKey) === undefined;
        return await api.call('currentUser', { signal, ...(isFirst && { query: { watch: teamIn(location.pathname) } }) });
      } catch (error) {
        if (error instanceof ServiceError && error.answered === 401) return null;
        throw error;
      }
    },
    refetchInterval: answers ? false : retryPause,
  });
}

/** The session does not stand any more: drops what was loaded for it. False if nobody was signed in. */
export function forgetAccount(cache: QueryClient): boolean {
  if (!cache.getQueryData(accountKey)) return false;
  void cache.cancelQueries();
  cache.setQueryData(accountKey, null);
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== accountKey[0] });
  return true;
}

/** Ends this browser's session. */
export function useSignOut(): () => Promise<void> {
  const api = useApi(calls);
  const cache = useQueryClient();
  return useCallback(async () => {
    const userId = cache.getQueryData<Account | null>(accountKey)?.user.id;
    const { records } = await api.call('listSessions', {});
    const own = records.find(({ current }) => current);
    if (own) await api.call('endSession', { params: { session_id: own.id } });
    if (userId !== undefined) forgetOwn(userId);
    tellSignedOut();
    forgetAccount(cache);
    goTo('/sign-in', { replace: true });
  }, [api, cache]);
}

export const AccountContext = createContext<Account | null>(null);

/** Who is signed in, below the sign-in. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('AccountContext is missing above this component.');
  return account;
}

export const TeamContext = createContext<OwnTeam | null>(null);

/** The Team that the view is about, in views of a Team. */
export function useTeam(): OwnTeam {
  const team = useContext(TeamContext);
  if (!team) throw new Error('TeamContext is missing above this component.');
  return team;
}

/** What the person may do: by their role in a Team, and `operate` as an operator of the service. */
export function permissionsIn(team: OwnTeam | null, { user }: Account): readonly string[] {
  return [...(team?.permissions ?? []), ...(user.operator ? ['operate'] : [])];
}

/** Whether the person may do something in the Team of the view, by a name of docs/contract/conventions.md §10. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useTeam();
  return useCallback((permission) => permissions.includes(permission), [permissions]);
}

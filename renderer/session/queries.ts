import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { AgentStatus } from '#protocol/agent/system.ts';
import { useApp } from '../app/context.ts';

export const sessionsKey = ['sessions'] as const;
const statusKey = ['status'] as const;

/** Every session of the agent, that of its own service first. */
export function useSessions() {
  const { client } = useApp();
  return useQuery({ queryKey: sessionsKey, queryFn: ({ signal }) => client.call('listSessions', { signal }) });
}

/** The signed-in account, with the Teams of all services; null for nobody. */
export function sessionOf(sessions: readonly SignedIn[]): AgentSession | null {
  const active = sessions.filter(({ state }) => state === 'active');
  const user = active.find((one) => one.user !== null)?.user ?? null;
  if (active.length === 0) return null;
  return { user: user ?? { id: '', email: '', name: '' }, teams: active.flatMap(({ teams }) => teams) };
}

/** Signs in to another service, or again to one whose session has ended. */
export function useSignIn() {
  const { client } = useApp();
  const absorb = useAbsorbSession();
  return useMutation({ mutationFn: (body: CreateSession) => client.call('createSession', { body }), onSuccess: absorb });
}

/** Stores a session that has just begun. */
export function useAbsorbSession(): (session: SignedIn) => void {
  const cache = useQueryClient();
  return useCallback(
    (session) => {
      cache.setQueryData<SignedIn[]>(sessionsKey, (before = []) =>
        before.some(({ id }) => id === session.id) ? before.map((one) => (one.id === session.id ? session : one)) : [...before, session],
      );
      void cache.invalidateQueries({ queryKey: statusKey });
    },
    [cache],
  );
}

export function useSignOut() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      try {
        await client.call('deleteSession', { params: { id } });
      } catch (error) {
        // Already signed out, e.g. in another window: the wanted result.
        if (!(error instanceof AgentCallError && error.is('not_found'))) throw error;
      }
    },
    onSuccess: (_, id) => cache.setQueryData<SignedIn[]>(sessionsKey, (before = []) => before.filter((one) => one.id !== id)),
  });
}

/**
 * The agent's own facts: version, service, warnings. Events report only the unreachable services; the rest is read
 * whenever it is shown.
 */
export function useStatus() {
  const { client } = useApp();
  return useQuery({ queryKey: statusKey, queryFn: ({ signal }) => client.call('status', { signal }), staleTime: 0 });
}

/** Stores the unreachable services from an event. A request under way may have older data, so it is repeated. */
export function absorbUnreachable(cache: QueryClient, unreachable: AgentStatus['unreachable']): void {
  cache.setQueryData<AgentStatus>(statusKey, (before) => before && { ...before, unreachable });
  if (cache.isFetching({ queryKey: statusKey }) > 0) void cache.invalidateQueries({ queryKey: statusKey });
}

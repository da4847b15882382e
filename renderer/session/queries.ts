import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import { AgentFailure } from '../agent/failure.ts';
import { useApp } from '../app/context.ts';

export const sessionsKey = ['sessions'] as const;

/** Every session of the agent, that of its own service first. */
export function useSessions() {
  const { client } = useApp();
  return useQuery({ queryKey: sessionsKey, queryFn: ({ signal }) => client.call('listSessions', { signal }) });
}

/** Who is signed in, with the Teams of all services together; null for nobody. */
export function sessionOf(sessions: readonly SignedIn[]): AgentSession | null {
  const active = sessions.filter(({ state }) => state === 'active');
  const user = active.find((one) => one.user !== null)?.user ?? null;
  if (active.length === 0) return null;
  return { user: user ?? { id: '', email: '', name: '' }, teams: active.flatMap(({ teams }) => teams) };
}

/** Signs in to one more service, or again to one whose session has ended. */
export function useSignIn() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateSession) => client.call('createSession', { body }),
    onSuccess(begun) {
      cache.setQueryData<SignedIn[]>(sessionsKey, (before = []) =>
        before.some(({ id }) => id === begun.id) ? before.map((one) => (one.id === begun.id ? begun : one)) : [...before, begun],
      );
      void cache.invalidateQueries({ queryKey: ['status'] });
    },
  });
}

export function useSignOut() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      try {
        await client.call('deleteSession', { params: { id } });
      } catch (error) {
        // Signed out already, e.g. in another window: that is what was asked for.
        if (!(error instanceof AgentFailure && error.is('not_found'))) throw error;
      }
    },
    onSuccess: (_, id) => cache.setQueryData<SignedIn[]>(sessionsKey, (before = []) => before.filter((one) => one.id !== id)),
  });
}

/** The agent's own facts: version, service, warnings. No event tells of these, so they are read whenever they come into sight. */
export function useStatus() {
  const { client } = useApp();
  return useQuery({ queryKey: ['status'], queryFn: ({ signal }) => client.call('status', { signal }), staleTime: 0 });
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { AgentClient } from '../agent/call.ts';
import { AgentFailure } from '../agent/failure.ts';
import { useApp } from '../app/context.ts';

export const sessionKey = ['session'] as const;

/** Who is signed in; null for nobody, which is no failure. */
export async function readSession(client: AgentClient, signal?: AbortSignal): Promise<AgentSession | null> {
  try {
    return await client.call('getLogin', { signal });
  } catch (error) {
    if (error instanceof AgentFailure && (error.is('session_is_nil') || error.is('session_expired'))) return null;
    throw error;
  }
}

export function useSession() {
  const { client } = useApp();
  return useQuery({ queryKey: sessionKey, queryFn: ({ signal }) => readSession(client, signal) });
}

export function useSignIn() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => client.call('login', { body }),
    onSuccess: (session) => {
      cache.setQueryData(sessionKey, session);
      void cache.invalidateQueries({ queryKey: ['status'] });
    },
  });
}

export function useSignOut() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      try {
        await client.call('logout', {});
      } catch (error) {
        // Signed out already, e.g. in another window: that is what was asked for.
        if (!(error instanceof AgentFailure && error.is('session_is_nil'))) throw error;
      }
    },
    onSuccess: () => cache.setQueryData(sessionKey, null),
  });
}

/** The agent's own facts: version, service, warnings. */
export function useStatus() {
  const { client } = useApp();
  return useQuery({ queryKey: ['status'], queryFn: ({ signal }) => client.call('status', { signal }) });
}

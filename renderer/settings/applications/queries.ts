import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateToken } from '#protocol/agent/tokens.ts';
import { useApp } from '../../app/context.ts';

const tokensKey = ['tokens'] as const;

/** Tokens of applications, the newest first. No event reports them, so they are read on each visit. */
export function useTokens() {
  const { client } = useApp();
  return useQuery({ queryKey: tokensKey, queryFn: ({ signal }) => client.call('listTokens', { signal }), staleTime: 0 });
}

export function useCreateToken() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateToken) => client.call('createToken', { body }),
    // The secret is returned to the caller only and is not cached.
    gcTime: 0,
    onSuccess: () => cache.invalidateQueries({ queryKey: tokensKey }),
  });
}

export function useEndToken() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => client.call('deleteToken', { params: { id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: tokensKey }),
  });
}

/** The calls made with a token, the newest first. */
export function useTokenCalls(id: string) {
  const { client } = useApp();
  return useQuery({
    queryKey: ['token-calls', id],
    queryFn: ({ signal }) => client.call('listTokenCalls', { params: { id }, signal }),
    staleTime: 0,
    gcTime: 10_000,
  });
}

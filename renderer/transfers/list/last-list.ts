import { type QueryClient, useQueryClient } from '@tanstack/react-query';

/** The list that was shown last, for the way back from a single transfer. */
type ListRoute = 'transfers' | 'needs';
const key = ['transfers', 'last-list'] as const;

export function keepList(cache: QueryClient, route: ListRoute): void {
  cache.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
  cache.setQueryData<ListRoute>(key, route);
}

export const useLastList = (): ListRoute => useQueryClient().getQueryData<ListRoute>(key) ?? 'transfers';

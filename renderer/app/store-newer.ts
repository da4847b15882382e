import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** Stores a value that is newer than any answer still on its way: that answer is dropped, so it cannot overwrite it. */
export function storeNewer<T>(cache: QueryClient, queryKey: QueryKey, value: T): void {
  void cache.cancelQueries({ queryKey, exact: true }, { revert: false });
  cache.setQueryData(queryKey, value);
}

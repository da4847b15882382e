import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PathsMeasure } from '#protocol/agent/paths.ts';
import { useApp } from '../app/context.ts';
import { useSettled } from '../transfers/list/use-list.ts';
import { isAbsolute } from './path-text.ts';

/** Milliseconds without a change before the agent counts. */
const rest = 250;
/** As many as the agent counts at once. */
const most = 1_000;

/** What these paths hold, as far as the agent has counted. A count that nobody waits for any more is cancelled. */
export function useMeasure(paths: readonly string[]): { readonly measure: PathsMeasure | null; readonly counting: boolean } {
  const { client } = useApp();
  const asked = useSettled(paths.filter(isAbsolute).slice(0, most).join('\0'), rest);
  const { data, isFetching, isError } = useQuery({
    queryKey: ['measure', asked],
    queryFn: ({ signal }) => client.call('measurePaths', { body: { paths: asked.split('\0') }, signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    // Files come and go.
    staleTime: 0,
    gcTime: 10_000,
    retry: false,
  });
  return { measure: asked === '' || isError ? null : (data ?? null), counting: isFetching };
}

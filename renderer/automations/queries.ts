import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { useApp } from '../app/context.ts';

export const automationsKey = ['automations'] as const;

/** Every automation of the agent. One request; events keep it true. */
export function useAutomations() {
  const { client } = useApp();
  return useQuery({ queryKey: automationsKey, queryFn: ({ signal }) => client.call('listAutomations', { signal }) });
}

/** One automation out of the list; `null` where it does not exist. */
export function useAutomation(id: string) {
  const { data, ...query } = useAutomations();
  return { ...query, data: data === undefined ? undefined : (data.find((one) => one.id === id) ?? null) };
}

/** Puts a new or changed automation into the list: from an event, or from the answer of a call. */
export function absorbAutomation(cache: QueryClient, automation: Automation): void {
  changeList(cache, (list) =>
    list.some(({ id }) => id === automation.id) ? list.map((one) => (one.id === automation.id ? automation : one)) : [...list, automation],
  );
}

export function absorbRemovedAutomation(cache: QueryClient, id: string): void {
  changeList(cache, (list) => list.filter((one) => one.id !== id));
}

/** An answer under way may be older than the change and newer than other parts of the list, so it is asked for again. */
function changeList(cache: QueryClient, change: (list: readonly Automation[]) => Automation[]): void {
  cache.setQueryData<Automation[]>(automationsKey, (list) => list && change(list));
  if (cache.isFetching({ queryKey: automationsKey, exact: true }) === 0) return;
  void cache
    .cancelQueries({ queryKey: automationsKey, exact: true })
    .then(() => cache.invalidateQueries({ queryKey: automationsKey, exact: true }));
}

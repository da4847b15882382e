import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';

export const settingsKey = ['settings'] as const;

/** The agent's settings. */
export function useSettings() {
  const { client } = useApp();
  return useQuery({ queryKey: settingsKey, queryFn: ({ signal }) => client.call('getSettings', { signal }) });
}

/** Changes settings, each as soon as it is chosen. What is shown follows at once and goes back where the agent refuses. */
export function useChangeSettings() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    async mutationFn(change: UpdateSettings) {
      const now = await client.call('updateSettings', { body: change });
      // In the desktop app some of them are for the system: start at log-in, the look of menus, their language.
      await desktopBridge()?.applySettings();
      return now;
    },
    onMutate(change) {
      const before = cache.getQueryData<Settings>(settingsKey);
      if (before) cache.setQueryData(settingsKey, { ...before, ...change });
      return before;
    },
    onSuccess: (now) => cache.setQueryData(settingsKey, now),
    onError(_, __, before) {
      cache.setQueryData(settingsKey, before);
      // Where the system refused, the agent holds the new value all the same.
      void cache.invalidateQueries({ queryKey: settingsKey });
    },
  });
}

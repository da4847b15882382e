import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';

export const settingsKey = ['settings'] as const;

/** The agent's settings. */
export function useSettings() {
  const { client } = useApp();
  return useQuery({ queryKey: settingsKey, queryFn: ({ signal }) => client.call('getSettings', { signal }) });
}

/**
 * Changes settings, each as soon as it is chosen. What is shown follows at once and goes back where the agent refuses.
 * The desktop app is told, so that it does what they say.
 */
export function useChangeSettings() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (change: UpdateSettings) => {
      const now = await client.call('updateSettings', { body: change });
      cache.setQueryData(settingsKey, now);
      await desktopBridge()?.applySettings();
      return now;
    },
    onMutate(change) {
      const before = cache.getQueryData<Settings>(settingsKey);
      if (before) cache.setQueryData(settingsKey, { ...before, ...change });
    },
    onError: () => cache.invalidateQueries({ queryKey: settingsKey }),
  });
}

export type Direction = 'upload' | 'download';
const limitKey = (direction: Direction) => ['rate-limit', direction] as const;
const readCalls = { upload: 'getUploadRateLimit', download: 'getDownloadRateLimit' } as const;
const writeCalls = { upload: 'setUploadRateLimit', download: 'setDownloadRateLimit' } as const;

/** The speed limit of one direction, with its schedule. */
export function useRateLimit(direction: Direction) {
  const { client } = useApp();
  return useQuery({ queryKey: limitKey(direction), queryFn: ({ signal }) => client.call(readCalls[direction], { signal }) });
}

export function useChangeRateLimit(direction: Direction) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (limit: RateLimit) => client.call(writeCalls[direction], { body: limit }),
    onMutate: (limit) => cache.setQueryData(limitKey(direction), limit),
    onError: () => cache.invalidateQueries({ queryKey: limitKey(direction) }),
  });
}

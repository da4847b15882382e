import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';

export const settingsKey = ['settings'] as const;

/** The agent has saved the settings, but the system refused to apply them. */
export class DesktopRefusal extends Error {
  override readonly name = 'DesktopRefusal';

  constructor(cause: unknown) {
    super('The system did not take the setting.', { cause });
  }
}

/** The agent's settings. */
export function useSettings() {
  const { client } = useApp();
  return useQuery({ queryKey: settingsKey, queryFn: ({ signal }) => client.call('getSettings', { signal }) });
}

/**
 * Changes each setting as soon as it is chosen. The page is updated optimistically and rolled back where the agent
 * refuses. The desktop app is informed, so that it applies the change.
 */
export function useChangeSettings() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationKey: settingsKey,
    mutationFn: async (change: UpdateSettings) => {
      const now = await client.call('updateSettings', { body: change });
      // Of several changes under way, only the last answer is stored: it contains all of them.
      if (cache.isMutating({ mutationKey: settingsKey }) === 1) cache.setQueryData(settingsKey, now);
      await desktopBridge()
        ?.applySettings()
        .catch((cause: unknown) => {
          throw new DesktopRefusal(cause);
        });
      return now;
    },
    onMutate(change) {
      const before = cache.getQueryData<Settings>(settingsKey);
      if (before) cache.setQueryData(settingsKey, { ...before, ...change });
    },
    onError: () => cache.invalidateQueries({ queryKey: settingsKey }),
  });
}

/** Stores settings that another page or a program changed. Changes under way on this page have priority. */
export function absorbSettings(cache: QueryClient, settings: Settings): void {
  if (cache.isMutating({ mutationKey: settingsKey }) === 0) cache.setQueryData(settingsKey, settings);
  if (cache.isMutating({ mutationKey: limitsKey }) === 0) void cache.invalidateQueries({ queryKey: limitsKey });
}

export type Direction = 'upload' | 'download';
const limitsKey = ['rate-limit'] as const;
const limitKey = (direction: Direction) => [...limitsKey, direction] as const;
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
    mutationKey: limitsKey,
    mutationFn: (limit: RateLimit) => client.call(writeCalls[direction], { body: limit }),
    onMutate: (limit) => cache.setQueryData(limitKey(direction), limit),
    onError: () => cache.invalidateQueries({ queryKey: limitKey(direction) }),
  });
}

import { type QueryClient, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { useApp } from '../app/context.ts';
import { storeNewer } from '../app/store-newer.ts';
import { desktopBridge } from '../desktop/bridge.ts';

const settingsKey = ['settings'] as const;

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
      await client.call('updateSettings', { body: change });
      await desktopBridge()
        ?.applySettings()
        .catch((cause: unknown) => {
          throw new DesktopRefusal(cause);
        });
    },
    onMutate(change) {
      const before = cache.getQueryData<Settings>(settingsKey);
      if (before) storeNewer(cache, settingsKey, { ...before, ...change });
    },
    onSettled: () => readAgain(cache, settingsKey),
  });
}

/** Stores settings that another page or a program changed. Changes under way on this page have priority. */
export function absorbSettings(cache: QueryClient, settings: Settings): void {
  if (cache.isMutating({ mutationKey: settingsKey }) === 0) storeNewer(cache, settingsKey, settings);
  if (cache.isMutating({ mutationKey: limitsKey }) === 0) void cache.invalidateQueries({ queryKey: limitsKey });
}

/** After the last of several changes, reads what the agent has: others may have changed it meanwhile. */
function readAgain(cache: QueryClient, key: QueryKey): void {
  if (cache.isMutating({ mutationKey: key }) === 1) void cache.invalidateQueries({ queryKey: key });
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
    onMutate: (limit) => storeNewer(cache, limitKey(direction), limit),
    onSettled: () => readAgain(cache, limitsKey),
  });
}

import type { DesktopCalls } from '#renderer/desktop/bridge.ts';

/**
 * All IPC channels from the page to the desktop: one for each call of the bridge. The table's type is derived from the
 * bridge, so a call without a channel is a compile error.
 */
export const channels = {
  pickPaths: 'longshore:pick-paths',
  pickFolder: 'longshore:pick-folder',
  revealFolder: 'longshore:reveal-folder',
  applySettings: 'longshore:apply-settings',
  reportBattery: 'longshore:report-battery',
} as const satisfies Readonly<Record<keyof DesktopCalls, string>>;

export type ChannelName = keyof typeof channels;

/** The only channel to the page: the desktop asks it to navigate. */
export const goChannel = 'longshore:go';

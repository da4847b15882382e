import type { DesktopCalls } from '#renderer/desktop/bridge.ts';

/**
 * Every way from the page to the desktop: the bridge's calls, each with a channel of its own.
 * The table's type is theirs, so a call without a channel does not compile.
 */
export const channels = {
  pickPaths: 'longshore:pick-paths',
  pickFolder: 'longshore:pick-folder',
  revealFolder: 'longshore:reveal-folder',
  applySettings: 'longshore:apply-settings',
  reportBattery: 'longshore:report-battery',
} as const satisfies Readonly<Record<keyof DesktopCalls, string>>;

export type ChannelName = keyof typeof channels;

/** The one way back: the desktop asks the page to go to a place. */
export const goChannel = 'longshore:go';

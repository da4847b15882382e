import type { DesktopBridge } from '#renderer/desktop/bridge.ts';

/**
 * Every way from the page to the desktop: the functions of the bridge, each with a channel of its own.
 * The table's type is the bridge's, so a function without a channel does not compile.
 */
export const channels = {
  pickPaths: 'longshore:pick-paths',
  pickFolder: 'longshore:pick-folder',
  revealFolder: 'longshore:reveal-folder',
} as const satisfies Readonly<Record<keyof DesktopBridge, string>>;

export type ChannelName = keyof typeof channels;

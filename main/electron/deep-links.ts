import type { App } from 'electron';
import { deepLinkLength, deepLinkScheme } from '#protocol/deep-link.ts';

/**
 * The deep link in the app's arguments, or null. Chromium adds its own flags to the arguments. The page validates the
 * link, and the person confirms it.
 */
export function deepLinkIn(argv: readonly string[]): string | null {
  return argv.find((one) => one.length <= deepLinkLength && one.toLowerCase().startsWith(`${deepLinkScheme}://`)) ?? null;
}

/**
 * Registers the packaged app as the handler of `longshore://`. Installers do this too, but an unpacked app has no
 * installer. An app that runs from a checkout does not change the system.
 */
export function registerScheme(app: Pick<App, 'isPackaged' | 'isDefaultProtocolClient' | 'setAsDefaultProtocolClient'>): void {
  if (app.isPackaged && !app.isDefaultProtocolClient(deepLinkScheme)) app.setAsDefaultProtocolClient(deepLinkScheme);
}

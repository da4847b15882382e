import type { App } from 'electron';
import { deepLinkLength, deepLinkScheme } from '#protocol/deep-link.ts';

/**
 * The deep link among the arguments that the system started the app with, or null. Chromium puts flags of its own
 * between them. What the link says is for the page to check and the person to confirm.
 */
export function deepLinkIn(argv: readonly string[]): string | null {
  return argv.find((one) => one.length <= deepLinkLength && one.toLowerCase().startsWith(`${deepLinkScheme}://`)) ?? null;
}

/**
 * Makes the packaged app the one that the system opens `longshore://` with. Installers do that too; an app that was
 * only unpacked has none. One that runs from a checkout leaves the system as it is.
 */
export function registerScheme(app: Pick<App, 'isPackaged' | 'isDefaultProtocolClient' | 'setAsDefaultProtocolClient'>): void {
  if (app.isPackaged && !app.isDefaultProtocolClient(deepLinkScheme)) app.setAsDefaultProtocolClient(deepLinkScheme);
}

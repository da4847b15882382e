import { parseUrl } from '../cli/options.ts';

/** The part of electron-updater that is used. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  on(event: 'update-downloaded', listener: (event: { readonly version: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  setFeedURL(feed: { readonly provider: 'generic'; readonly url: string }): void;
  checkForUpdates(): Promise<unknown>;
}

/** Interval between update checks. */
const updateMilliseconds = 12 * 3_600_000;

/**
 * The address where an operator publishes builds. It must be https, or http on this machine, since its files are
 * installed.
 *
 * @throws InvalidArgumentError for another one
 */
export function parseUpdateUrl(text: string): string {
  const url = parseUrl(text);
  const { protocol, hostname } = new URL(url);
  const here = hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]';
  if (protocol !== 'https:' && !here) throw new UpdateAddressError();
  return url;
}

class UpdateAddressError extends Error {
  override readonly name = 'UpdateAddressError';
  readonly code = 'update_address_insecure';
  readonly retryable = false;

  constructor() {
    super('Updates are taken by https only. Give --update-url an address that begins with https://.');
  }
}

/**
 * Checks for new versions now and twice a day, downloads one in the background and installs it when the app quits.
 * Never installs an older version. A failure is logged and retried at the next check; it does not disturb the app.
 *
 * @param url the update address; undefined for the one in the build
 * @returns stops checking
 */
export function followUpdates(
  updater: Updater,
  url: string | undefined,
  parts: {
    readonly every: (milliseconds: number, what: () => void) => () => void;
    readonly onReady: (version: string) => void;
    readonly complain: (error: unknown) => void;
  },
): () => void {
  updater.autoDownload = true;
  updater.autoInstallOnAppQuit = true;
  updater.allowDowngrade = false;
  updater.on('update-downloaded', ({ version }) => parts.onReady(version));
  updater.on('error', parts.complain);
  if (url !== undefined) updater.setFeedURL({ provider: 'generic', url });
  // The updater reports failures by the event above as well.
  const look = (): void => void updater.checkForUpdates().catch(() => {});
  look();
  return parts.every(updateMilliseconds, look);
}

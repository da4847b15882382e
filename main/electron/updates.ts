import { parseUrl } from '../cli/options.ts';

/** What is used of electron-updater. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  on(event: 'update-downloaded', listener: (event: { readonly version: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  setFeedURL(feed: { readonly provider: 'generic'; readonly url: string }): void;
  checkForUpdates(): Promise<unknown>;
}

/** How often it is looked for a new version. */
export const updateMilliseconds = 12 * 3_600_000;

/**
 * The address where an operator publishes builds: by https, or by http on this machine, since what comes from there
 * is installed.
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

export class UpdateAddressError extends Error {
  override readonly name = 'UpdateAddressError';
  readonly code = 'update_address_insecure';
  readonly retryable = false;

  constructor() {
    super('Updates are taken by https only. Give --update-url an address that begins with https://.');
  }
}

/**
 * Looks for new versions now and twice a day, loads one in the background and installs it when the person quits.
 * Never an older one. A failure is written down and tried again at the next time: updates hold nothing up.
 *
 * @param url where they are; undefined for the place that the build itself names
 * @returns stops looking
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
  // It tells of its failures by the event above as well.
  const look = (): void => void updater.checkForUpdates().catch(() => {});
  look();
  return parts.every(updateMilliseconds, look);
}

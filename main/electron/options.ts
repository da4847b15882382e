import { parseArgs } from 'node:util';
import { type Listen, parseListen } from '../cli/listen.ts';
import { defaultAgentUrl, defaultServiceUrl, parseUrl, readSecret } from '../cli/options.ts';
import { absolutePath, defaultDataDir } from '../folders.ts';
import { deepLinkIn } from './deep-links.ts';
import { parseUpdateUrl } from './updates.ts';

export interface DesktopOptions {
  /** The agent alone, without window and tray: for servers. */
  readonly headless: boolean;
  /** The tray without a window, until the person asks for it: at log-in. */
  readonly hidden: boolean;
  readonly serviceUrl: string;
  readonly apiKey: string | undefined;
  readonly listen: Listen;
  /** Whether `listen` was asked for; otherwise another port will do when it is taken. */
  readonly listenChosen: boolean;
  readonly dataDir: string;
  /** Where new versions are published; undefined for what the build itself names, if it does. */
  readonly updateUrl: string | undefined;
  /** A deep link that the app was started to open. */
  readonly deepLink: string | null;
}

/**
 * The app's options: flags as the command line's `agent` has them, with the same names in the environment.
 * Flags of Electron and Chromium may stand between them and are passed over.
 *
 * @throws InvalidArgumentError, CommandError, UpdateAddressError for a value that cannot be used
 */
export function desktopOptions(argv: readonly string[], environment: NodeJS.ProcessEnv, from: string): DesktopOptions {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: {
      headless: { type: 'boolean' },
      hidden: { type: 'boolean' },
      'service-url': { type: 'string' },
      'api-key': { type: 'string' },
      'api-key-file': { type: 'string' },
      listen: { type: 'string' },
      'data-dir': { type: 'string' },
      'update-url': { type: 'string' },
    },
  });
  const given = (flag: string, variable: string): string | undefined => {
    const value = values[flag];
    return (typeof value === 'string' && value) || environment[variable] || undefined;
  };
  const listen = given('listen', 'LONGSHORE_LISTEN');
  const updateUrl = given('update-url', 'LONGSHORE_UPDATE_URL');
  return {
    headless: values['headless'] === true,
    hidden: values['hidden'] === true,
    serviceUrl: parseUrl(given('service-url', 'LONGSHORE_SERVICE_URL') ?? defaultServiceUrl),
    apiKey: readSecret(given('api-key', 'LONGSHORE_API_KEY'), given('api-key-file', 'LONGSHORE_API_KEY_FILE'), 'API key'),
    listen: parseListen(listen ?? new URL(defaultAgentUrl).host),
    listenChosen: listen !== undefined,
    dataDir: absolutePath(given('data-dir', 'LONGSHORE_DATA_DIR') ?? defaultDataDir(), from),
    updateUrl: updateUrl === undefined ? undefined : parseUpdateUrl(updateUrl),
    deepLink: deepLinkIn(argv),
  };
}

import { parseArgs } from 'node:util';
import { type Listen, parseListen } from '../cli/listen.ts';
import { defaultAgentUrl, defaultServiceUrl, parseUrl, readSecret } from '../cli/options.ts';
import { absolutePath, defaultDataDir } from '../folders.ts';
import { deepLinkIn } from './deep-links.ts';
import { parseUpdateUrl } from './updates.ts';

export interface DesktopOptions {
  /** Only the agent, without window and tray: for servers. */
  readonly headless: boolean;
  /** Starts with the tray only, until the person opens the window: at log-in. */
  readonly hidden: boolean;
  readonly serviceUrl: string;
  readonly apiKey: string | undefined;
  readonly listen: Listen;
  /** Whether `listen` was set explicitly. If not, another port is used when the default is taken. */
  readonly listenChosen: boolean;
  /** Other programs of this machine need the agent's token; the window signs in automatically. */
  readonly requireToken: boolean;
  readonly dataDir: string;
  /** Where new versions are published; undefined uses the address in the build, if any. */
  readonly updateUrl: string | undefined;
  /** The deep link to open at the start. */
  readonly deepLink: string | null;
}

/**
 * The app's options: the same flags and environment variables as `longshore agent`. Flags of Electron and Chromium are
 * ignored.
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
      'require-token': { type: 'boolean' },
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
    requireToken: values['require-token'] === true || /^(?:yes|true)$/i.test(environment['LONGSHORE_REQUIRE_TOKEN'] ?? ''),
    dataDir: absolutePath(given('data-dir', 'LONGSHORE_DATA_DIR') ?? defaultDataDir(), from),
    updateUrl: updateUrl === undefined ? undefined : parseUpdateUrl(updateUrl),
    deepLink: deepLinkIn(argv),
  };
}

import { parseArgs } from 'node:util';
import { type Listen, parseListen } from '../cli/listen.ts';
import { defaultAgentUrl, defaultServiceUrl, parseUrl, readSecret } from '../cli/options.ts';
import { absolutePath, defaultDataDir } from '../folders.ts';

export interface DesktopOptions {
  /** The agent alone, without a window: for servers and at log-in. */
  readonly headless: boolean;
  readonly serviceUrl: string;
  readonly apiKey: string | undefined;
  readonly listen: Listen;
  /** Whether `listen` was asked for; otherwise another port will do when it is taken. */
  readonly listenChosen: boolean;
  readonly dataDir: string;
}

/**
 * The app's options: flags as the command line's `agent` has them, with the same names in the environment.
 * Flags of Electron and Chromium may stand between them and are passed over.
 *
 * @throws InvalidArgumentError, CommandError for a value that cannot be used
 */
export function desktopOptions(argv: readonly string[], environment: NodeJS.ProcessEnv, from: string): DesktopOptions {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: {
      headless: { type: 'boolean' },
      'service-url': { type: 'string' },
      'api-key': { type: 'string' },
      'api-key-file': { type: 'string' },
      listen: { type: 'string' },
      'data-dir': { type: 'string' },
    },
  });
  const given = (flag: string, variable: string): string | undefined => {
    const value = values[flag];
    return (typeof value === 'string' && value) || environment[variable] || undefined;
  };
  const listen = given('listen', 'LONGSHORE_LISTEN');
  return {
    headless: values['headless'] === true,
    serviceUrl: parseUrl(given('service-url', 'LONGSHORE_SERVICE_URL') ?? defaultServiceUrl),
    apiKey: readSecret(given('api-key', 'LONGSHORE_API_KEY'), given('api-key-file', 'LONGSHORE_API_KEY_FILE'), 'API key'),
    listen: parseListen(listen ?? new URL(defaultAgentUrl).host),
    listenChosen: listen !== undefined,
    dataDir: absolutePath(given('data-dir', 'LONGSHORE_DATA_DIR') ?? defaultDataDir(), from),
  };
}

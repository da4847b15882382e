import { type CloudHttpOptions, createCloudHttp } from '../http/client.ts';
import { createTokenCache } from '../http/token-cache.ts';
import type { CloudProvider, PathRules, ProviderEnvironment } from '../ports.ts';
import { createFrameioApi } from './api.ts';
import type { FrameioConfig } from './config.ts';
import { createFiles } from './files.ts';
import { createFolders } from './folders.ts';
import { adobeTokenUrl, createSignIn } from './sign-in.ts';
import { createUploads, frameioPlan } from './uploads.ts';

export interface FrameioOptions {
  /** Origin in place of Frame.io's own. */
  readonly apiUrl?: string;
  readonly tokenUrl?: string;
  readonly http?: CloudHttpOptions;
  /** Milliseconds. */
  readonly completePause?: number;
}

/** One project of Frame.io V4, as the service account of a server-to-server credential. */
export function createFrameioProvider(
  config: FrameioConfig,
  environment: ProviderEnvironment,
  options: FrameioOptions = {},
): CloudProvider {
  const { apiUrl = 'https://api.frame.io', tokenUrl = adobeTokenUrl, completePause = 250 } = options;
  const { now } = environment;
  const http = createCloudHttp(environment, options.http);
  const tokens = createTokenCache(createSignIn({ config, http, tokenUrl, now }), now);
  const api = createFrameioApi({ http, tokens, apiUrl, accountId: config.accountId, now });
  const folders = createFolders(api, config);
  return {
    name: 'frameio_v4',
    plan: frameioPlan,
    paths,
    async check(_request, signal) {
      await folders.root(signal);
      return [];
    },
    ...createFiles(api, http, folders),
    ...createUploads(api, http, folders, { completePause }),
    // The token that was refused is forgotten already (http/token-cache.ts).
    renew() {},
    close: () => http.close(),
  };
}

const paths: PathRules = {
  problem(path) {
    for (const name of path.split('/')) {
      if (name === '' || name === '.' || name === '..') return 'Frame.io holds no file or folder that is called nothing, . or ..';
      if (name.length > 255) return 'Frame.io holds names of at most 255 characters.';
      if (name !== name.trim()) return 'Frame.io holds no names that begin or end with a space.';
      // biome-ignore lint/suspicious/noControlCharactersInRegex: nobody could see them.
      if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) return 'Frame.io holds only names of printable characters.';
    }
    return null;
  },
  ignoresCase: false,
};

import { type CloudHttpOptions, createCloudHttp } from '../http/client.ts';
import { createTokenCache } from '../http/token-cache.ts';
import type { CloudProvider, PathRules, ProviderEnvironment } from '../ports.ts';
import { createBoxApi } from './api.ts';
import type { BoxConfig } from './config.ts';
import { createFiles } from './files.ts';
import { createFolders } from './folders.ts';
import { boxTokenUrl, createSignIn } from './sign-in.ts';
import { boxPlan, createUploads } from './uploads.ts';

export interface BoxOptions {
  /** Origins in place of Box's own. */
  readonly apiUrl?: string;
  readonly uploadUrl?: string;
  readonly tokenUrl?: string;
  readonly http?: CloudHttpOptions;
  /** Bytes. */
  readonly chunkedFrom?: number;
  /** Milliseconds. */
  readonly commitPause?: number;
}

const mebibyte = 1024 * 1024;

/** Box, by an app with a JWT, as the app's service account. */
export function createBoxProvider(config: BoxConfig, environment: ProviderEnvironment, options: BoxOptions = {}): CloudProvider {
  const { apiUrl = 'https://api.box.com', uploadUrl = 'https://upload.box.com', tokenUrl = boxTokenUrl } = options;
  const { chunkedFrom = 20 * mebibyte, commitPause = 10_000 } = options;
  const { now } = environment;
  const http = createCloudHttp(environment, options.http);
  const tokens = createTokenCache(createSignIn({ config, http, tokenUrl, now }), now);
  const box = createBoxApi({ http, tokens, apiUrl, uploadUrl, now });
  const folders = createFolders(box);
  return {
    name: 'box',
    plan: boxPlan,
    paths,
    async check(_request, signal) {
      const { login } = await box.json('GET', `${box.api}/users/me?fields=login`, null, signal);
      return typeof login === 'string' && /^[\w.@-]{3,200}$/.test(login)
        ? [
            `Files belong to the app's service account. Invite ${login} as Editor to a folder of yours, and give that folder's name as the target.`,
          ]
        : [];
    },
    ...createFiles(box, folders),
    ...createUploads(box, folders, { chunkedFrom, commitPause, now }),
    // The token that was refused is forgotten already (http/token-cache.ts).
    renew() {},
    close: () => http.close(),
  };
}

const paths: PathRules = {
  problem(path) {
    for (const name of path.split('/')) {
      if (name === '' || name === '.' || name === '..') return 'Box holds no file or folder that is called nothing, . or ..';
      if (name.length > 255) return 'Box holds names of at most 255 characters.';
      if (name.includes('\\')) return 'Box holds no names with a backslash.';
      if (name !== name.trim()) return 'Box holds no names that begin or end with a space.';
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Box refuses.
      if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) return 'Box holds only names of printable characters.';
    }
    return null;
  },
  ignoresCase: true,
};

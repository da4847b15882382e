import { ProviderError } from '../errors.ts';
import { type CloudHttpOptions, createCloudHttp } from '../http/client.ts';
import { createTokenCache } from '../http/token-cache.ts';
import type { CloudProvider, PathRules, ProviderEnvironment } from '../ports.ts';
import { createGcsApi, type GcsApi } from './api.ts';
import type { GcsConfig } from './config.ts';
import { createObjects } from './objects.ts';
import { createSignIn, googleTokenUrl } from './sign-in.ts';
import { createUploads, gcsPlan } from './uploads.ts';

export interface GcsOptions {
  /** Origins in place of Google's own. */
  readonly endpoint?: string;
  readonly tokenUrl?: string;
  readonly http?: CloudHttpOptions;
}

/** Google Cloud Storage, by a service account, over the JSON API. */
export function createGcsProvider(config: GcsConfig, environment: ProviderEnvironment, options: GcsOptions = {}): CloudProvider {
  const { endpoint = 'https://storage.googleapis.com', tokenUrl = googleTokenUrl } = options;
  const { now } = environment;
  const http = createCloudHttp(environment, options.http);
  const tokens = createTokenCache(createSignIn({ config, http, tokenUrl, now }), now);
  const api = createGcsApi({ http, tokens, endpoint, bucket: config.bucket, now });
  return {
    name: 'google_cloud_storage',
    plan: gcsPlan,
    paths,
    check: (_request, signal) => checkPermissions(api, signal),
    ...createObjects(api),
    ...createUploads(api),
    // The token that was refused is forgotten already (http/token-cache.ts).
    renew() {},
    close: () => http.close(),
  };
}

const maxNameBytes = 1024;

const paths: PathRules = {
  problem(path) {
    if (Buffer.byteLength(path) > maxNameBytes) return `Google Cloud Storage holds paths of at most ${maxNameBytes} bytes.`;
    if (/[\r\n]/.test(path)) return 'Google Cloud Storage holds no names with line breaks.';
    if (path === '.' || path === '..') return 'Google Cloud Storage holds no file named . or ..';
    if (path.startsWith('.well-known/acme-challenge/')) return 'Google Cloud Storage holds nothing below .well-known/acme-challenge.';
    if (!path.isWellFormed()) return 'Google Cloud Storage holds only names that are valid Unicode.';
    return null;
  },
  ignoresCase: false,
};

const needed = ['storage.objects.create', 'storage.objects.delete', 'storage.objects.get', 'storage.objects.list'];

/** Asks Google which permissions there are, which needs none: so all that are missing are told at once. */
async function checkPermissions(api: GcsApi, signal: AbortSignal): Promise<readonly string[]> {
  const query = new URLSearchParams(needed.map((permission) => ['permissions', permission]));
  const { permissions } = await api.json({ method: 'GET', path: `${api.bucketPath}/iam/testPermissions?${query}` }, signal);
  const granted = new Set(Array.isArray(permissions) ? permissions : []);
  const missing = needed.filter((permission) => !granted.has(permission));
  if (missing.length === 0) return [];
  throw new ProviderError(
    'forbidden',
    `The service account lacks ${missing.join(', ')} on the bucket. Give it the role Storage Object User (roles/storage.objectUser) there.`,
  );
}

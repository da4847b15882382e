import { ProviderError } from '../errors.ts';
import { type CloudHttpOptions, createCloudHttp } from '../http/client.ts';
import { createTokenCache } from '../http/token-cache.ts';
import { choosePartSize } from '../parts.ts';
import type { CloudProvider, PathRules, ProviderEnvironment, UploadHandle, UploadPlan } from '../ports.ts';
import { createS3Provider } from '../s3/s3-provider.ts';
import { createSignIn } from './account.ts';
import { createB2Api } from './api.ts';
import { checkKey } from './check.ts';
import type { B2Config } from './config.ts';
import { createFiles } from './files.ts';
import { s3ApiConfig } from './s3-config.ts';
import { createUploadUrls } from './upload-urls.ts';
import { askUploadUrl, createUploads } from './uploads.ts';

export interface B2Options {
  /** Origin in place of Backblaze's own. */
  readonly endpoint?: string;
  readonly http?: CloudHttpOptions;
}

const mebibyte = 1024 * 1024;

const b2Plan: UploadPlan = {
  smallestPart: 5 * mebibyte,
  largestPart: 5_000_000_000,
  // What B2 recommends.
  usualPart: 100_000_000,
  partMultiple: 1,
  maxParts: 10_000,
  largestFile: 10_000_000_000_000,
  dictatesParts: false,
  order: 'any',
  // Which API it is shows when the key signs in: S3's compares MD5, the native one SHA-1.
  partDigests: ['md5', 'sha1'],
  digestsToBegin: [],
  digestsToComplete: [],
};

/** Of an upload address, in milliseconds: a day, less the time that a part takes. */
const uploadUrlLife = 20 * 3600 * 1000;

/**
 * A bucket at Backblaze B2: signed in natively, then by the S3-compatible API, or natively where the key or the bucket cannot
 * use that one (docs/decisions/0050). Each upload ends by the API that it began by.
 */
export function createB2Provider(config: B2Config, environment: ProviderEnvironment, options: B2Options = {}): CloudProvider {
  const { endpoint = 'https://api.backblazeb2.com' } = options;
  const { now } = environment;
  const http = createCloudHttp(environment, options.http);
  const account = createTokenCache(createSignIn({ config, http, endpoint, now }), now);
  const api = createB2Api({ http, account, bucket: config.bucket, now });
  const urls = createUploadUrls((key, signal) => askUploadUrl(api, key, now().getTime() + uploadUrlLife, signal), now);
  const uploads = createUploads(api, urls);
  const native = { ...uploads, ...createFiles(api, uploads.makeEmpty) };
  let s3: { readonly url: string; readonly provider: CloudProvider } | null = null;

  /** The provider by S3; null where the way is native. */
  async function viaS3(signal: AbortSignal): Promise<CloudProvider | null> {
    const { s3Url } = await account.get(signal);
    if (s3Url === null) return null;
    if (s3?.url !== s3Url) {
      void s3?.provider.close();
      s3 = { url: s3Url, provider: createS3Provider(s3ApiConfig(config, s3Url), environment) };
    }
    return s3.provider;
  }

  return {
    name: 'backblazeb2',
    plan: b2Plan,
    paths,
    async check(_request, signal) {
      return checkKey(await account.get(signal), now());
    },
    list: async (request, signal) => ((await viaS3(signal)) ?? native).list(request, signal),
    head: async (request, signal) => ((await viaS3(signal)) ?? native).head(request, signal),
    hasFolder: async (request, signal) => {
      const provider = await viaS3(signal);
      return (await native.hasFolder(request, signal)) || (await provider?.hasFolder?.(request, signal)) === true;
    },
    makeFolder: async (request, signal) => ((await viaS3(signal)) ?? native).makeFolder(request, signal),
    openRange: async (request, signal) => ((await viaS3(signal)) ?? native).openRange(request, signal),
    remove: async (request, signal) => ((await viaS3(signal)) ?? native).remove(request, signal),

    async begin({ save, ...request }, signal) {
      const partSize = choosePartSize(b2Plan, request.size, request.partSize);
      const provider = await viaS3(signal);
      const through = (handle: UploadHandle): UploadHandle => ({ api: provider ? 's3' : 'native', upload: handle });
      const upload = await (provider ?? native).begin({ ...request, partSize, save: (handle) => save(through(handle)) }, signal);
      return { ...upload, handle: through(upload.handle) };
    },
    async resume({ handle }, signal) {
      const { by, upload } = apiOf(handle);
      const provider = by === 's3' ? await viaS3(signal) : native;
      if (!provider) return { state: 'gone' };
      const resumed = await provider.resume({ handle: upload }, signal);
      return resumed.state === 'open' ? { ...resumed, handle } : resumed;
    },
    async putPart(request, signal) {
      const { by, upload } = apiOf(request.handle);
      const provider = by === 's3' ? await viaS3(signal) : native;
      if (!provider) throw anotherKey();
      return await provider.putPart({ ...request, handle: upload }, signal);
    },
    async complete(request, signal) {
      const { by, upload } = apiOf(request.handle);
      const provider = by === 's3' ? await viaS3(signal) : native;
      if (!provider) throw anotherKey();
      return await provider.complete({ ...request, handle: upload }, signal);
    },
    async abort({ handle }, signal) {
      const { by, upload } = apiOf(handle);
      const provider = by === 's3' ? await viaS3(signal) : native;
      if (provider) return await provider.abort({ handle: upload }, signal);
      // The key was replaced by one for the other API. The name is Longshore's, so all that is unfinished under it is too.
      if (typeof upload['key'] === 'string') await uploads.cancelUnfinished(upload['key'], () => true, signal);
    },
    // Of the native API, what was refused is forgotten already (http/token-cache.ts).
    renew: () => s3?.provider.renew(),
    async close() {
      await s3?.provider.close();
      await http.close();
    },
  };
}

const anotherKey = () =>
  new ProviderError('upload_gone', 'This upload was begun with another application key. The file is sent from its beginning.');

function apiOf({ api, upload }: UploadHandle): { readonly by: 's3' | 'native'; readonly upload: UploadHandle } {
  if ((api !== 's3' && api !== 'native') || typeof upload !== 'object' || upload === null || Array.isArray(upload)) throw anotherKey();
  return { by: api, upload: upload as UploadHandle };
}

const paths: PathRules = {
  problem(path) {
    if (Buffer.byteLength(path) > 1024) return 'Backblaze holds paths of at most 1024 bytes.';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are meant
    if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(path)) return 'Backblaze holds no names with control characters.';
    if (!path.isWellFormed()) return 'Backblaze holds only names that are valid Unicode.';
    const steps = path.split('/');
    if (steps.some((step) => step === '' || step === '.' || step === '..')) return 'A step of the path is empty, "." or "..".';
    if (steps.some((step) => Buffer.byteLength(step) > 250)) return 'Backblaze holds names of folders and files of at most 250 bytes.';
    return path.includes('\\') ? 'Backblaze holds no names with a backslash.' : null;
  },
  ignoresCase: false,
};

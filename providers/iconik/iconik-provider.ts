import { type CloudHttpOptions, createCloudHttp } from '../http/client.ts';
import type { CloudProvider, PathRules, ProviderEnvironment } from '../ports.ts';
import { createIconikApi } from './api.ts';
import { createCollections } from './collections.ts';
import type { IconikConfig } from './config.ts';
import { createFiles } from './files.ts';
import { createGcsSessions } from './gcs-sessions.ts';
import { createS3Multipart } from './s3-multipart.ts';
import { createStorage } from './storage.ts';
import { createUploads, iconikPlan } from './uploads.ts';

export interface IconikOptions {
  /** Origin in place of iconik's own. */
  readonly endpoint?: string;
  readonly http?: CloudHttpOptions;
  /** Bytes of a part, also of a usual one: a multiple of 256 KiB; S3 refuses smaller ones than 5 MiB. */
  readonly smallestPart?: number;
}

/** iconik, by an application token, onto one of its storages at S3 or Google Cloud Storage. */
export function createIconikProvider(config: IconikConfig, environment: ProviderEnvironment, options: IconikOptions = {}): CloudProvider {
  const { endpoint = 'https://app.iconik.io', smallestPart } = options;
  const { now } = environment;
  const plan = smallestPart === undefined ? iconikPlan : { ...iconikPlan, smallestPart, usualPart: smallestPart };
  const http = createCloudHttp(environment, options.http);
  const api = createIconikApi({ config, http, endpoint, now });
  const storage = createStorage(api, config.storageId);
  const collections = createCollections(api);
  const buckets = { S3: createS3Multipart(api, http, now), GCS: createGcsSessions(http, now) };
  return {
    name: 'iconik',
    plan,
    paths,
    async check(_request, signal) {
      await storage.check(signal);
      return [];
    },
    ...createFiles({ api, http, storage, collections, now }),
    ...createUploads({ api, http, storage, collections, buckets, plan, now }),
    // An address that is over is asked for anew, and says nothing of what lies in iconik.
    renew() {},
    close: () => http.close(),
  };
}

/** Of the 1024 that buckets hold, without the folder of the storage in its bucket and the place of each file. */
const maxPathBytes = 800;

const paths: PathRules = {
  problem(path) {
    if (Buffer.byteLength(path) > maxPathBytes) return `Paths in iconik have at most ${maxPathBytes} bytes.`;
    for (const name of path.split('/')) {
      if (name === '' || name === '.' || name === '..') return 'No file or collection in iconik is called nothing, . or ..';
      if (name !== name.trim()) return 'No name in iconik begins or ends with a space.';
      // biome-ignore lint/suspicious/noControlCharactersInRegex: people could not see them.
      if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) return 'Names in iconik have only printable characters.';
    }
    return null;
  },
  ignoresCase: false,
};

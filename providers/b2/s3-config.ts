import type { S3Config } from '../s3/config.ts';
import { backblazeQuirks } from '../s3/quirks.ts';
import type { B2Config } from './config.ts';

/** The S3-compatible API at `url`: the application key is the access key there. */
export function s3ApiConfig({ keyId, key, bucket }: B2Config, url: string): S3Config {
  return {
    kind: 'backblazeb2',
    quirks: backblazeQuirks,
    endpoint: url,
    region: /^s3\.([a-z0-9-]+)\.backblazeb2\.com$/.exec(new URL(url).hostname)?.[1] ?? 'us-east-1',
    bucket,
    pathStyle: true,
    storageClass: null,
    access: { by: 'key', accessKeyId: keyId, secretAccessKey: key },
  };
}

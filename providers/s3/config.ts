import type { ProviderName } from '#protocol/providers.ts';
import { ProviderError } from '../errors.ts';
import { quirks, type S3Kind, type S3Quirks } from './quirks.ts';

export interface S3Config {
  readonly kind: ProviderName;
  readonly quirks: S3Quirks;
  /** Origin; null for Amazon's own, which follows from the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** The bucket is part of the path, not of the host name. */
  readonly pathStyle: boolean;
  /** Null for the bucket's own. */
  readonly storageClass: string | null;
  readonly access:
    | { readonly by: 'key'; readonly accessKeyId: string; readonly secretAccessKey: string }
    | { readonly by: 'role'; readonly roleArn: string; readonly externalId: string };
}

/** Signed with where a server has no regions. */
const anyRegion = 'us-east-1';

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function s3Config(kind: S3Kind, authorization: Readonly<Record<string, string>>): S3Config {
  const { client_id, client_secret, role_arn, external_id, destination = '', endpoint, storage_class } = authorization;
  const region = authorization['region'] ?? '';
  if (destination === '') throw new ProviderError('misconfigured', 'There is no bucket in this connection. Enter its name as destination.');
  // It becomes a part of the host names that credentials are sent to.
  if (!/^[A-Za-z0-9._-]*$/.test(region)) {
    throw new ProviderError('misconfigured', 'The region is no possible name of one. It looks like eu-central-1.');
  }
  const isRole = role_arn !== undefined && role_arn !== '';
  return {
    kind,
    quirks: quirks[kind],
    endpoint: endpoint === undefined || endpoint === '' ? null : originOf(endpoint),
    region: region === '' || region === 'default' ? anyRegion : region,
    bucket: destination,
    pathStyle: isPathStyle(kind, destination, authorization['force_s3_path_style']),
    // STANDARD is what a bucket does unless told, and several servers know no classes.
    storageClass: storage_class === undefined || storage_class === '' || storage_class === 'STANDARD' ? null : storage_class,
    access: isRole
      ? { by: 'role', roleArn: role_arn, externalId: external_id ?? '' }
      : { by: 'key', accessKeyId: client_id ?? '', secretAccessKey: client_secret ?? '' },
  };
}

function originOf(text: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new ProviderError('misconfigured', 'The endpoint is no address of a server. It looks like https://s3.eu-central-1.example.com.');
  }
  return url.origin;
}

function isPathStyle(kind: S3Kind, bucket: string, field: string | undefined): boolean {
  const { pathStyle } = quirks[kind];
  if (pathStyle === 'field') return field === undefined || field === '' ? kind === 'minio_s3' : field === 'true';
  // A certificate for *.host does not cover a name with more dots.
  return pathStyle === 'always' || bucket.includes('.');
}

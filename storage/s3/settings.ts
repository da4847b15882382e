import { StorageError } from '../errors.ts';

export interface S3Settings {
  /** Origin of the storage, for example `https://s3.example.com:9000`; absent for Amazon's own. */
  readonly endpoint: string | null;
  /** Origin for senders and receivers, if they reach the storage by another name than the service. */
  readonly publicEndpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of every key; empty or ending with `/`. */
  readonly prefix: string;
  /** The bucket is part of the path, not of the host name. */
  readonly pathStyle: boolean;
  /** Small files are stored together, many in one object. */
  readonly packed: boolean;
  /** Absent: from the environment, a profile or the machine's role, like the AWS tools. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

const known = new Set(['region', 'path_style', 'tls', 'prefix', 'public_url', 'packed']);

const bad = (detail: string): StorageError =>
  new StorageError(
    'storage_misconfigured',
    `The storage URL is not usable: ${detail}. It looks like s3://KEY:SECRET@host:port/bucket?region=us-east-1&path_style=true&tls=false&prefix=files/`,
  );

/** Parses a storage URL; `openStorage` documents its format. Throws `storage_misconfigured`, without secrets in the message. */
export function parseS3Url(text: string): S3Settings {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:') throw bad('it is no s3:// address');
  const bucket = url.pathname.replace(/^\/|\/$/g, '');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket)) throw bad('its path must be the name of a bucket');
  for (const name of url.searchParams.keys()) if (!known.has(name)) throw bad(`there is no setting ${name}`);
  if ((url.username === '') !== (url.password === '')) throw bad('it has only one of key and secret');
  const publicUrl = url.searchParams.get('public_url');
  if (publicUrl !== null && !/^https?:$/.test(URL.canParse(publicUrl) ? new URL(publicUrl).protocol : '')) {
    throw bad('public_url must be an http or https address');
  }
  return {
    endpoint: url.host === '' ? null : `${flag(url, 'tls', true) ? 'https' : 'http'}://${url.host}`,
    publicEndpoint: publicUrl === null ? null : new URL(publicUrl).origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: prefixOf(url.searchParams.get('prefix') ?? ''),
    pathStyle: flag(url, 'path_style', false),
    packed: flag(url, 'packed', false),
    credentials:
      url.username === '' ? null : { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) },
  };
}

function flag(url: URL, name: string, otherwise: boolean): boolean {
  const text = url.searchParams.get(name);
  if (text === null) return otherwise;
  if (text !== 'true' && text !== 'false') throw bad(`${name} must be true or false`);
  return text === 'true';
}

function prefixOf(text: string): string {
  const prefix = text.replace(/^\/+|\/+$/g, '');
  if (prefix !== '' && !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(prefix))
    throw bad('prefix must be made of letters, digits, ".", "_", "-" and "/"');
  return prefix === '' ? '' : `${prefix}/`;
}

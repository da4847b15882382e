import { createHmac } from 'node:crypto';
import { BucketError, type SeenRequest, type World } from './world.ts';

/** Addresses that iconik signs: good for one method, one key, what the query says, and a while. */
export interface AddressRequest {
  readonly origin: string;
  readonly method: string;
  readonly bucket: 's3' | 'gcs';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
}

const signatureOf = (world: World, method: string, path: string, query: URLSearchParams): string => {
  const signed = new URLSearchParams([...query].filter(([name]) => !name.endsWith('-Signature')));
  signed.sort();
  return createHmac('sha256', world.signingKey).update(`${method}\n${path}\n${signed}`).digest('hex');
};

const signatureName = (path: string): string => (path.startsWith('/gcs/') ? 'X-Goog-Signature' : 'X-Amz-Signature');

export function signedAddress(world: World, { origin, method, bucket, key, query = {} }: AddressRequest): string {
  const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const search = new URLSearchParams({ ...query, expires: String(world.now().getTime() + world.addressLife) });
  search.set(signatureName(path), signatureOf(world, method, path, search));
  return `${origin}${path}?${search}`;
}

/** Refuses an address that was not signed so, or is over, and requests that bring iconik's token to the bucket. */
export function checkAddress(world: World, { method, path, query, headers }: SeenRequest): void {
  if (headers['auth-token'] !== undefined || headers['app-id'] !== undefined)
    throw new BucketError(400, 'InvalidRequest', 'A token of another service came along.');
  const isExtra = headers['content-md5'] !== undefined && !world.takesDigests;
  if (isExtra || query.get(signatureName(path)) !== signatureOf(world, method, path, query))
    throw new BucketError(403, 'SignatureDoesNotMatch');
  if (Number(query.get('expires')) <= world.now().getTime()) throw new BucketError(403, 'AccessDenied', 'Request has expired');
}

import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { FrameioAsset, SeenRequest, World } from './world.ts';

/** An error in S3's form. */
export class StorageError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const signedHeaders = ['content-type', 'host', 'x-amz-acl'] as const;

const timeOf = (date: Date): string => `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

function signatureOf(world: World, path: string, query: URLSearchParams, headers: Readonly<Record<string, string>>): string {
  const said = [...query].filter(([name]) => name !== 'X-Amz-Signature').sort(([one], [other]) => (one < other ? -1 : 1));
  const text = ['PUT', path, JSON.stringify(said), ...signedHeaders.map((name) => `${name}:${headers[name] ?? ''}`)].join('\n');
  return createHmac('sha256', world.signingKey).update(text).digest('hex');
}

/** The addresses of a new file's parts, good for a day. */
export function addressesOf(world: World, file: FrameioAsset, origin: string): { size: number; url: string }[] {
  return file.parts.map(({ size }, index) => {
    const path = `/s3/parts/${file.id}/part_${index + 1}`;
    const query = new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIAEXAMPLE/20260101/us-east-1/s3/aws4_request',
      'X-Amz-Date': timeOf(world.now()),
      'X-Amz-Expires': String(world.addressLife),
      'X-Amz-SignedHeaders': signedHeaders.join(';'),
    });
    const headers = { 'content-type': file.mediaType, host: new URL(origin).host, 'x-amz-acl': 'private' };
    query.set('X-Amz-Signature', signatureOf(world, path, query, headers));
    return { size, url: `${origin}${path}?${query}` };
  });
}

/** Takes a part at its address. The headers of the answer. */
export function takePart(
  world: World,
  { path, headers }: SeenRequest,
  query: URLSearchParams,
  body: Buffer,
): Readonly<Record<string, string>> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));
  if (given['authorization'] !== undefined) throw new StorageError(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  const begun = Date.parse(`${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
  if (!(begun + Number(query.get('X-Amz-Expires')) * 1000 > world.now().getTime())) {
    throw new StorageError(403, 'AccessDenied', 'Request has expired');
  }
  if (signatureOf(world, path, query, given) !== query.get('X-Amz-Signature')) throw new StorageError(403, 'SignatureDoesNotMatch');
  const unsigned = Object.keys(given).filter((name) => name.startsWith('x-amz-') && name !== 'x-amz-acl');
  if (unsigned.length > 0) throw new StorageError(403, 'AccessDenied', 'There were headers present in the request which were not signed');
  const [, id = '', number = ''] = /^\/s3\/parts\/([\w-]+)\/part_(\d+)$/.exec(path) ?? [];
  const file = world.assets.get(id);
  const part = file?.parts[Number(number) - 1];
  if (!file || !part || file.status !== 'created') throw new StorageError(404, 'NoSuchKey');
  if (body.length !== part.size) throw new StorageError(400, 'InvalidRequest');
  part.bytes = body;
  if (file.parts.every(({ bytes }) => bytes !== null)) file.waits = world.waits;
  if (world.kms) return { etag: `"${randomBytes(16).toString('hex')}"`, 'x-amz-server-side-encryption': 'aws:kms' };
  return { etag: `"${createHash('md5').update(body).digest('hex')}"` };
}

const downloadSignature = (world: World, id: string, end: string): string =>
  createHmac('sha256', world.signingKey).update(`${id}${end}`).digest('hex');

export function downloadAddressOf(world: World, { id }: FrameioAsset, origin: string): string {
  const end = String(Math.floor(world.now().getTime() / 1000) + 12 * 3600);
  return `${origin}/assets/${id}?${new URLSearchParams({ Expires: end, Signature: downloadSignature(world, id, end) })}`;
}

export interface DownloadAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export function download(world: World, { path, headers }: SeenRequest, query: URLSearchParams): DownloadAnswer {
  const id = path.slice('/assets/'.length);
  const end = query.get('Expires') ?? '';
  const file = world.assets.get(id);
  // Nobody but Frame.io should see a token.
  if (headers['authorization'] !== undefined) throw new StorageError(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  if (query.get('Signature') !== downloadSignature(world, id, end) || Number(end) * 1000 <= world.now().getTime()) {
    throw new StorageError(403, 'AccessDenied');
  }
  if (!file) throw new StorageError(404, 'NoSuchKey');
  const bytes = world.bytesOf(file);
  const match = /^bytes=(\d+)-(\d+)$/.exec(String(headers['range'] ?? ''));
  if (!match) return { status: 200, bytes, headers: {} };
  const start = Number(match[1]);
  if (start >= bytes.length) throw new StorageError(416, 'InvalidRange');
  const part = bytes.subarray(start, Number(match[2]) + 1);
  return { status: 206, bytes: part, headers: { 'content-range': `bytes ${start}-${start + part.length - 1}/${bytes.length}` } };
}

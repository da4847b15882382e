import { createHash, randomBytes } from 'node:crypto';
import { childOf, childrenOf, readXml, textOf } from '#providers/http/xml.ts';
import { type BucketAction, BucketError, type Fault, type MultipartUpload, type SeenRequest, type World } from './world.ts';

export interface BucketAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const xml = (root: string, inner: string): BucketAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`,
});

export function requireAction({ bucketAllows }: World, action: BucketAction): void {
  if (!bucketAllows.has(action)) throw new BucketError(403, 'AccessDenied', 'Access Denied');
}

/** The bucket's own multipart uploads, at addresses whose signature has been checked. */
export function answerS3(
  world: World,
  { method, path, query, headers }: SeenRequest,
  body: Buffer,
  fault: Fault | undefined,
): BucketAnswer {
  const key = decodeURIComponent(path.slice('/s3/'.length));
  const id = query.get('uploadId');
  if (method === 'GET' && id === null) return readAt(world, world.objects.get(key), headers['range'] as string | undefined);
  if (method === 'POST' && query.has('uploads')) {
    requireAction(world, 'put');
    const upload: MultipartUpload = { id: randomBytes(24).toString('base64url'), key, parts: new Map() };
    world.uploads.set(upload.id, upload);
    return xml('InitiateMultipartUploadResult', `<Bucket>b</Bucket><UploadId>${upload.id}</UploadId>`);
  }
  if (id === null) throw new BucketError(405, 'MethodNotAllowed');
  const upload = world.uploads.get(id);
  if (method === 'DELETE') requireAction(world, 'abort');
  if (method === 'GET') requireAction(world, 'list-parts');
  if (upload?.key !== key) throw new BucketError(404, 'NoSuchUpload');
  if (method === 'DELETE') {
    world.uploads.delete(id);
    return { status: 204 };
  }
  if (method === 'GET') return listParts(world, upload, Number(query.get('part-number-marker') ?? '0'));
  requireAction(world, 'put');
  if (method === 'PUT') return putPart(world, upload, Number(query.get('partNumber')), headers, body, fault);
  return complete(world, upload, body);
}

function putPart(
  world: World,
  { parts }: MultipartUpload,
  number: number,
  headers: SeenRequest['headers'],
  body: Buffer,
  fault: Fault | undefined,
): BucketAnswer {
  if (Number(headers['content-length']) !== body.length) throw new BucketError(400, 'IncompleteBody');
  const bytes = Buffer.from(body);
  if (fault?.kind === 'corrupt') bytes[0] = bytes[0]! ^ 1;
  world.bytesReceived += bytes.length;
  const digest = headers['content-md5'];
  if (digest !== undefined && digest !== createHash('md5').update(bytes).digest('base64')) throw new BucketError(400, 'BadDigest');
  const etag = `"${world.encrypted ? randomBytes(16).toString('hex') : createHash('md5').update(bytes).digest('hex')}"`;
  parts.set(number, { etag, bytes });
  return { status: 200, headers: { etag, ...(world.encrypted && { 'x-amz-server-side-encryption': 'aws:kms' }) } };
}

function listParts({ partsOfPage }: World, { parts }: MultipartUpload, marker: number): BucketAnswer {
  const shown = [...parts].filter(([number]) => number > marker).sort(([one], [other]) => one - other);
  const page = shown.slice(0, partsOfPage);
  const inner = page
    .map(
      ([number, { etag, bytes }]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Part>`,
    )
    .join('');
  return xml('ListPartsResult', `<IsTruncated>${shown.length > page.length}</IsTruncated>${inner}`);
}

function complete(world: World, { id, key, parts }: MultipartUpload, body: Buffer): BucketAnswer {
  const named = childrenOf(readXml(body, 'CompleteMultipartUpload'), 'Part').map((part) => ({
    number: Number(textOf(childOf(part, 'PartNumber'))),
    etag: textOf(childOf(part, 'ETag')),
  }));
  if (named.length === 0) throw new BucketError(400, 'MalformedXML');
  const pieces = named.map(({ number, etag }, index) => {
    if (index > 0 && number <= named[index - 1]!.number) throw new BucketError(400, 'InvalidPartOrder');
    const part = parts.get(number);
    if (part?.etag !== etag) throw new BucketError(400, 'InvalidPart');
    if (index < named.length - 1 && part.bytes.length < world.smallestPart) throw new BucketError(400, 'EntityTooSmall');
    return part.bytes;
  });
  world.objects.set(key, Buffer.concat(pieces));
  world.uploads.delete(id);
  return xml('CompleteMultipartUploadResult', `<Key>k</Key><ETag>&quot;${randomBytes(16).toString('hex')}-${pieces.length}&quot;</ETag>`);
}

/** Reads an object of either bucket. */
export function readAt(world: World, bytes: Buffer | undefined, range: string | undefined): BucketAnswer {
  requireAction(world, 'get');
  if (!bytes) throw new BucketError(404, 'NoSuchKey');
  const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
  if (!match) return { status: 200, body: bytes };
  const start = Number(match[1]);
  if (start >= bytes.length) {
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` }, body: '<Error><Code>InvalidRange</Code></Error>' };
  }
  const end = Math.min(Number(match[2]), bytes.length - 1);
  return { status: 206, headers: { 'content-range': `bytes ${start}-${end}/${bytes.length}` }, body: bytes.subarray(start, end + 1) };
}

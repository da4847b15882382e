import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import type { CloudAnswer, CloudHttp } from '../http/client.ts';
import { childOf, childrenOf, readXml, textOf } from '../http/xml.ts';
import { partRanges } from '../parts.ts';
import type { PutPartRequest, StoredPart } from '../ports.ts';
import { type IconikApi, type IconikRecord, noSense, textIn } from './api.ts';
import { type BucketUploads, gone, isCode } from './bucket-uploads.ts';
import { storageError } from './errors.ts';
import { layoutOf, type SendingFile } from './upload-file.ts';

/** Multipart uploads of S3 at addresses that iconik signs, each when it is needed: they end after a while. */
export function createS3Multipart(api: IconikApi, http: CloudHttp, now: () => Date): BucketUploads {
  /** Whether iconik's signatures leave room for a digest, which nobody documents: the first part tells. */
  let takesDigest = true;
  const failed = (answer: CloudAnswer) => storageError(answer, now());
  const pathOf = (file: SendingFile) => `/files/v1/assets/${file.asset}/files/${file.target.file}/multipart_url/`;

  /** The addresses of one kind; null if iconik no longer has the file. */
  const addresses = (file: SendingFile, type: string, signal: AbortSignal): Promise<IconikRecord | null> =>
    api.find(
      {
        method: 'GET',
        path: pathOf(file),
        query: { upload_id: file.target.session, type, max_part_number: String([...partRanges(layoutOf(file))].length) },
      },
      signal,
    );

  /** The parts that the bucket has, or null if the upload is over. */
  async function partsOf(file: SendingFile, signal: AbortSignal): Promise<StoredPart[] | null> {
    const { list_parts_url: urls } = (await addresses(file, 'list_parts_url', signal)) ?? {};
    if (!Array.isArray(urls)) return null;
    const stored = new Map<number, StoredPart>();
    // One address for each page of the list.
    for (const url of urls as readonly string[]) {
      const answer = await http.send({ method: 'GET', url }, signal);
      if (answer.status >= 300) {
        const error = failed(answer);
        if (isCode(error, 'upload_gone', 'not_found')) return null;
        throw error;
      }
      for (const part of childrenOf(readXml(answer.bytes, 'ListPartsResult'), 'Part')) {
        const number = Number(textOf(childOf(part, 'PartNumber')));
        const size = Number(textOf(childOf(part, 'Size')));
        stored.set(number, { number, size, tag: textOf(childOf(part, 'ETag')) });
      }
    }
    // Of another size it would be a part of another upload: it is sent again.
    return [...partRanges(layoutOf(file))].flatMap(({ number, size }) => {
      const part = stored.get(number);
      return part?.size === size ? [part] : [];
    });
  }

  return {
    order: 'any',

    async start({ multipartUploadUrl }, signal) {
      if (multipartUploadUrl === '') throw noSense();
      const answer = await http.send({ method: 'POST', url: multipartUploadUrl }, signal);
      if (answer.status >= 300) throw failed(answer);
      const id = textOf(childOf(readXml(answer.bytes, 'InitiateMultipartUploadResult'), 'UploadId'));
      if (id === '') throw noSense();
      return id;
    },

    async stored(file, signal) {
      try {
        const parts = await partsOf(file, signal);
        return parts ? { state: 'open', parts } : { state: 'over' };
      } catch (error) {
        // iconik's own example of a policy does not allow to list parts: then nobody knows them, and the file begins again.
        if (isCode(error, 'forbidden')) return { state: 'over' };
        throw error;
      }
    },

    async put(file, request, signal) {
      const body = { upload_id: file.target.session, parts: [{ part_number: request.number }] };
      const answer = await api.find({ method: 'POST', path: `${pathOf(file)}s3/part/`, body }, signal);
      if (!answer) throw gone();
      const parts = answer['parts'];
      const [part] = Array.isArray(parts) ? (parts as readonly IconikRecord[]) : [];
      if (!part) throw noSense();
      return await sendPart(textIn(part, 'url'), request, signal);
    },

    async finish(file, parts, _crc32c, signal) {
      // What is over has no parts left to name.
      if (parts.some(({ tag }) => tag === '')) return false;
      const known = await addresses(file, 'complete_url', signal);
      if (!known) throw gone();
      const answer = await http.send(
        {
          method: 'POST',
          url: textIn(known, 'complete_url'),
          headers: { 'content-type': 'application/xml' },
          body: completion(parts),
        },
        signal,
      );
      // S3 answers before it knows: a failure may come with 200.
      const isError = answer.status >= 300 || /<Error[\s>]/.test(answer.bytes.toString());
      if (!isError) return true;
      const error = failed(answer.status >= 300 ? answer : { ...answer, status: 500 });
      if (isCode(error, 'upload_gone')) return false;
      throw error;
    },

    async cancel(file, signal) {
      const known = await addresses(file, 'abort_url', signal);
      if (!known) return;
      const answer = await http.send({ method: 'DELETE', url: textIn(known, 'abort_url') }, signal);
      if (answer.status < 300 || answer.status === 404) return;
      throw failed(answer);
    },
  };

  /**
   * The MD5 goes along where the signature leaves room for it: then S3 keeps no part that arrived changed. In any case it is
   * compared with the etag that comes back.
   */
  async function sendPart(url: string, request: PutPartRequest, signal: AbortSignal): Promise<StoredPart> {
    const { number, size, open } = request;
    const md5 = await md5Of(open(0), size, signal);
    // The older signatures cover this header, whether it is there or not.
    const isNamed = takesDigest && new URL(url).searchParams.has('X-Amz-Signature');
    const headers: Readonly<Record<string, string>> = isNamed ? { 'content-md5': Buffer.from(md5, 'hex').toString('base64') } : {};
    const answer = await http.send(
      { method: 'PUT', url, headers, body: { stream: exactLength(open(0), size, wrongLength), size } },
      signal,
    );
    if (isNamed && answer.status === 403 && /<Code>SignatureDoesNotMatch</.test(answer.bytes.toString())) {
      takesDigest = false;
      return await sendPart(url, request, signal);
    }
    if (answer.status >= 300) throw failed(answer);
    const tag = answer.headers['etag'] ?? '';
    if (tag === '') throw noSense();
    const stored = /^"?([0-9a-f]{32})"?$/.exec(tag)?.[1];
    if (stored !== undefined && !isEncrypted(answer) && stored !== md5) {
      throw new ProviderError('corrupted', 'Bytes arrived changed at the bucket behind iconik. They are sent again.');
    }
    return { number, size, tag };
  }
}

const wrongLength = () => new Error('The bytes of the part ended early, or are too many.');

/** Of a stream of exactly `size` bytes, hex. Rejects with the signal's reason even where the stream is stuck. */
async function md5Of(source: Readable, size: number, signal: AbortSignal): Promise<string> {
  const checked = exactLength(source, size, wrongLength);
  const abort = () => checked.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const md5 = createHash('md5');
    for await (const bytes of checked as AsyncIterable<Buffer>) md5.update(bytes);
    return md5.digest('hex');
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** With keys of KMS, or of the customer's own, an etag is no digest. */
const isEncrypted = ({ headers }: CloudAnswer): boolean =>
  headers['x-amz-server-side-encryption']?.startsWith('aws:') === true ||
  headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => escapes[one]!);

const completion = (parts: readonly StoredPart[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
    .map(({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;

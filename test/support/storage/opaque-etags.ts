import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { CompleteMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { errorDocument } from '#storage/xml.ts';
import { startHttpServer } from '../system/http-server.ts';
import type { SwiftBucket } from './swift.ts';

export interface OpaqueBucket {
  /** As `STORAGE_URL`. */
  readonly storageUrl: string;
  /** Where it is, as an origin. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** An etag that tells nothing of the bytes; the same again for one of these. */
const opaque = (text: string): string => text.replaceAll(/[0-9a-f]{32}/g, (hex) => [...hex].reverse().join(''));

/** Stands before Swift as a bucket that encrypts with a KMS key: its etags are no digests, and it knows its own again. */
export async function startOpaqueBucket(bucket: SwiftBucket): Promise<OpaqueBucket> {
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({ endpoint: bucket.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });

  /** Signed anew, since the etags in its body are Swift's own. */
  async function complete(path: string, uploadId: string, xml: string): Promise<string> {
    const Key = decodeURIComponent(path.slice(`/${bucket.name}/`.length));
    const Parts = [...xml.matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
      PartNumber: Number(/<PartNumber>(\d+)</.exec(part)![1]),
      ETag: opaque(/[0-9a-f]{32}/.exec(part)![0]),
    }));
    const done = await client.send(
      new CompleteMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId: uploadId, MultipartUpload: { Parts } }),
    );
    return `<CompleteMultipartUploadResult><ETag>${opaque(done.ETag!).replaceAll('"', '&quot;')}</ETag></CompleteMultipartUploadResult>`;
  }

  const server = await startHttpServer(async (request, response) => {
    const { method, url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://x');
    const uploadId = searchParams.get('uploadId');
    if (method === 'POST' && uploadId !== null) {
      const xml = { 'content-type': 'application/xml' };
      try {
        const answer = await complete(pathname, uploadId, await text(request));
        response.writeHead(200, xml).end(answer);
      } catch (error) {
        response.writeHead(400, xml).end(errorDocument((error as Error).name, (error as Error).message));
      }
      return;
    }
    const onward = httpRequest(bucket.endpoint + url, { method, headers, setHost: false, agent: false }, async (answer) => {
      const { etag, ...others } = answer.headers;
      const told = { ...others, ...(etag === undefined ? {} : { etag: opaque(etag) }) };
      if (!/xml/.test(answer.headers['content-type'] ?? '')) {
        response.writeHead(answer.statusCode!, told);
        return answer.pipe(response);
      }
      // Of the same length, so that its headers hold.
      response.writeHead(answer.statusCode!, told).end((await text(answer)).replaceAll(/<ETag>.*?<\/ETag>/g, opaque));
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const storageUrl = bucket.url.replace(new URL(bucket.endpoint).host, new URL(server.url).host);
  return {
    storageUrl,
    endpoint: server.url,
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { accountSas, azuriteAccount, newContainer } from '../providers/azurite/azurite.ts';

/** An empty bucket or container of a real server, for one test. What is said here of it does not go through the proxy. */
export interface CloudBucket {
  /** Where the proxy leads. */
  readonly upstream: string;
  /** A connection to it through the proxy: what `POST …/cloud_connections` wants beside a name. */
  connection(proxyUrl: string): Readonly<Record<string, unknown>>;
  /** Names of all objects. */
  objects(): Promise<readonly string[]>;
  /** What was begun and neither completed nor aborted. */
  unfinished(): Promise<readonly string[]>;
  read(name: string): Promise<Buffer>;
}

/** A bucket that files may come from as well. */
export interface SourceBucket extends CloudBucket {
  /** A connection by which files are brought from it. */
  collection(proxyUrl: string): Readonly<Record<string, unknown>>;
  put(name: string, bytes: Buffer): Promise<void>;
}

/** A server that makes them. */
export interface CloudServer<Bucket = CloudBucket> {
  newBucket(): Promise<Bucket>;
}

export interface S3Server extends CloudServer<SourceBucket> {
  /** One that is there. */
  bucket(name: string): SourceBucket;
  close(): void;
}

export function s3Server(endpoint: string, accessKeyId: string, secretAccessKey: string): S3Server {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  function bucket(Bucket: string): SourceBucket {
    return {
      upstream: endpoint,
      connection: (proxyUrl) => ({
        provider: 'generic_s3',
        upload_transfer_manifest: true,
        authorization: {
          endpoint: proxyUrl,
          destination: Bucket,
          client_id: accessKeyId,
          client_secret: secretAccessKey,
          force_s3_path_style: 'true',
        },
      }),
      collection: (proxyUrl) => ({
        direction: 'cloud_to_service',
        // The one kind beside Amazon's own that files come from.
        provider: 'wasabi_s3',
        authorization: {
          endpoint: proxyUrl,
          destination: Bucket,
          client_id: accessKeyId,
          client_secret: secretAccessKey,
          region: 'us-east-1',
        },
      }),
      async put(name, bytes) {
        await client.send(new PutObjectCommand({ Bucket, Key: name, Body: bytes, ContentLength: bytes.length }));
      },
      async objects() {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
        return Contents.map(({ Key }) => Key!);
      },
      async unfinished() {
        const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
        return Uploads.map(({ Key, UploadId }) => `${Key} ${UploadId}`);
      },
      async read(name) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: name }));
        return await buffer(Body as NodeJS.ReadableStream);
      },
    };
  }

  return {
    bucket,
    async newBucket() {
      const name = `b${randomUUID()}`;
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return bucket(name);
    },
    close: () => client.destroy(),
  };
}

/** The Azurite that all tests of a run share. */
export const azureServer: CloudServer = {
  async newBucket() {
    const { name: destination, service, stored, request } = await newContainer();
    /** An unfinished block stands behind the name of its blob. */
    const isBlock = (one: string, all: readonly string[]): boolean => all.some((name) => one.startsWith(`${name} `));
    return {
      upstream: new URL(service).origin,
      connection: (proxyUrl) => ({
        provider: 'azure',
        authorization: { blob_service_sas_url: `${proxyUrl}/${azuriteAccount}?${accountSas()}`, destination },
      }),
      async objects() {
        const all = await stored();
        return all.filter((one) => !isBlock(one, all));
      },
      async unfinished() {
        const all = await stored();
        return all.filter((one) => isBlock(one, all));
      },
      async read(name) {
        const path = name.split('/').map(encodeURIComponent).join('/');
        return Buffer.from(await (await request('GET', path)).arrayBuffer());
      },
    };
  },
};
